// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/approximate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/locations.hpp"
#include "tyto/core/files/module_file.hpp"
#include "tyto/core/heed_interrupts.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/neighbours.hpp"
#include "tyto/math/reference_rows.hpp"

namespace tyto {

namespace {

constexpr Index kSample = 1000;         // rows to choose by, and as many others to judge by
constexpr Index kLearned = 64;          // rows that the centre of a list is learned from
constexpr Index kMostSearched = 64;     // lists
constexpr double kAimedRecall = 0.995;  // of the sample that chooses
constexpr Index kAtATime = 8192;

const FaissModule& faiss_module() {
  static const FaissModule& module = []() -> const FaissModule& {
    using Factory = const FaissModule* (*)();
    return *reinterpret_cast<Factory>(module_function(
        library_folder() / "libtyto_faiss.so", "tyto_faiss_module", "approximate neighbours"))();
  }();
  return module;
}

// `count` rows spread evenly, beginning with the one at `shift` of the way to the second.
std::vector<std::int32_t> spread_rows(Index rows, Index count, double shift) {
  std::vector<std::int32_t> out;
  for (Index s = 0; s < count; ++s) {
    out.push_back(static_cast<std::int32_t>(
        (static_cast<double>(s) + shift) * static_cast<double>(rows) / static_cast<double>(count)));
  }
  return out;
}

// Rows by the list they are in, or by the lists that they look through.
class ListsOfRows {
 public:
  ListsOfRows(const MatrixView& rows, Metric metric)
      : distance_(rows, metric), frame_(distance_.product_frame()) {
    const Index n = distance_.rows();
    // Lists of about sqrt(n) rows.
    const auto root = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n))));
    const Index lists = std::clamp<Index>(root, 1, n);
    centres_ =
        faiss_module().centres(gathered(spread_rows(n, std::min(n, kLearned * lists), 0.0)), lists);
  }

  [[nodiscard]] const RowDistance<float>& distance() const { return distance_; }

  [[nodiscard]] Index lists() const { return centres_.rows(); }

  // The nearest other row of each of these, by products of floats: one of the exact answers.
  [[nodiscard]] std::vector<std::int32_t> exact(std::span<const std::int32_t> these) const {
    NearestK nearest(gathered(these), 2);
    in_blocks(distance_.rows(), kAtATime, [&](Index begin, Index count) {
      nearest.add(distance_.product_rows(frame_, begin, count).rows, begin);
    });
    const Neighbours found = nearest.result();
    std::vector<std::int32_t> out;
    for (std::size_t i = 0; i < these.size(); ++i) {
      const auto at_row = static_cast<Index>(i);
      out.push_back(found.row(at_row, 0) == these[i] ? found.row(at_row, 1) : found.row(at_row, 0));
    }
    return out;
  }

  // How many lists are to be looked through for nearly all of these rows to meet their neighbour.
  [[nodiscard]] Index needed(std::span<const std::int32_t> these,
                             std::span<const std::int32_t> neighbours) const {
    const Index most = std::min(kMostSearched, lists());
    const Dense<std::int32_t> near = nearest_lists(gathered(these), most);
    const Dense<std::int32_t> home = nearest_lists(gathered(neighbours), 1);
    std::vector<Index> rank;
    for (Index i = 0; i < near.rows(); ++i) {
      Index r = 0;
      while (r < most - 1 && near(i, r) != home(i, 0)) {
        ++r;
      }
      rank.push_back(r + 1);
    }
    std::sort(rank.begin(), rank.end());
    const auto last =
        static_cast<Index>(std::ceil(kAimedRecall * static_cast<double>(rank.size()))) - 1;
    return rank[at(std::max<Index>(0, last))];
  }

  // Each row's nearest among those whose list is one of the `searched` nearest to it.
  [[nodiscard]] FirstNeighbours search(Index searched) const {
    const Index n = distance_.rows();
    std::vector<std::vector<std::int32_t>> members(at(lists()));
    std::vector<std::vector<std::int32_t>> visitors(at(lists()));
    in_blocks(n, kAtATime, [&](Index begin, Index count) {
      heed_interrupts();
      const Dense<std::int32_t> near =
          nearest_lists(distance_.product_rows(frame_, begin, count).rows, searched);
      for (Index i = 0; i < count; ++i) {
        members[at(near(i, 0))].push_back(static_cast<std::int32_t>(begin + i));
        for (Index r = 0; r < searched; ++r) {
          visitors[at(near(i, r))].push_back(static_cast<std::int32_t>(begin + i));
        }
      }
    });
    FirstNeighbours out;
    out.row.assign(at(n), -1);
    out.distance.assign(at(n), std::numeric_limits<double>::infinity());
    for (Index list = 0; list < lists(); ++list) {
      const std::vector<std::int32_t>& there = members[at(list)];
      if (there.empty()) {
        continue;
      }
      const ReferenceRows references(gathered(there));
      in_blocks(std::ssize(visitors[at(list)]), kAtATime, [&](Index begin, Index count) {
        heed_interrupts();
        const std::span<const std::int32_t> some(visitors[at(list)].data() + begin, at(count));
        const Neighbours found = nearest_rows(gathered(some), references, 2);
        for_each_index(count, [&](Index i) {
          for (Index c = 0; c < found.row.cols(); ++c) {
            offer(out, some[at(i)], there[at(found.row(i, c))]);
          }
        });
      });
    }
    for (std::int32_t i = 0; i < n; ++i) {  // alone in the lists that were searched
      if (out.row[at(i)] < 0) {
        offer(out, i, i == 0 ? 1 : 0);
      }
    }
    return out;
  }

 private:
  [[nodiscard]] Matrix gathered(std::span<const std::int32_t> these) const {
    return distance_.product_rows(frame_, these).rows;
  }

  [[nodiscard]] Dense<std::int32_t> nearest_lists(const Matrix& rows, Index k) const {
    return nearest_rows(rows, centres_, k).row;
  }

  // Ties go to the lower row, as they do among all.
  void offer(FirstNeighbours& out, std::int32_t row, std::int32_t other) const {
    if (other == row) {
      return;
    }
    const double measured = distance_(row, other);
    std::int32_t& nearest = out.row[at(row)];
    double& least = out.distance[at(row)];
    if (nearest < 0 || measured < least || (measured == least && other < nearest)) {
      nearest = other;
      least = measured;
    }
  }

  RowDistance<float> distance_;
  ProductFrame frame_;
  Matrix centres_;
};

}  // namespace

ApproximateNeighbours approximate_neighbours(const MatrixView& rows, Metric metric) {
  const Index n = rows.rows();
  TYTO_ASSERT(n > 1);
  const ListsOfRows lists(rows, metric);
  ApproximateNeighbours out;
  out.sample = std::min(kSample, n);
  const std::vector<std::int32_t> chosen_by = spread_rows(n, out.sample, 0.0);
  const Index searched = lists.needed(chosen_by, lists.exact(chosen_by));
  out.method = fmt::format("{} lists by Faiss, {} searched", lists.lists(), searched);
  out.first = lists.search(searched);

  const std::vector<std::int32_t> judged_by = spread_rows(n, out.sample, 0.5);
  const std::vector<std::int32_t> exact = lists.exact(judged_by);
  Index right = 0;
  for (std::size_t s = 0; s < judged_by.size(); ++s) {
    const std::int32_t row = judged_by[s];
    right += out.first.distance[at(row)] <= lists.distance()(row, exact[s]) ? 1 : 0;
  }
  out.recall = static_cast<double>(right) / static_cast<double>(out.sample);
  return out;
}

}  // namespace tyto
