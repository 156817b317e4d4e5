// SPDX-License-Identifier: Apache-2.0
// TypiClust: the most typical row of each cluster, large clusters first.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tyto/math/neighbours.hpp"
#include "tyto/parts/feedback/rough_groups.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kTypiclustForms{"paper", "released"};

struct TypiclustOptions {
  Index clusters = 500, neighbours = 20, small = 5;
  std::string form = "paper";

  void describe(OptionVisitor& v) {
    v.field("clusters", clusters, {1, 1e5},
            "at most so many, else as many as labels are asked for");
    v.field("neighbours", neighbours, {1, 1e5},
            "in the same cluster that tell how typical a row is; at most half the cluster");
    v.field("small", small, {0, 1e6},
            "clusters of at most so many rows wait until the others are used up");
    v.field("form", form, kTypiclustForms,
            "paper: the mean distance to the neighbours counts; released: the mean squared "
            "distance, as in the authors' code");
  }
};

class Typiclust final : public StatelessPart, public Requester {
 public:
  explicit Typiclust(TypiclustOptions options) : options_(std::move(options)) {}

  std::vector<Index> order(const Evidence& batch, Index budget, Work& work) const override {
    const Index wanted = std::min(budget, batch.size());
    if (wanted <= 0) {
      return {};
    }
    const Grouping group = rough_groups(batch.features, std::min(wanted, options_.clusters), work);
    std::vector<std::vector<Index>> clusters;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto g = static_cast<std::size_t>(group[i]);
      clusters.resize(std::max(clusters.size(), g + 1));
      clusters[g].push_back(static_cast<Index>(i));
    }
    // Groups are numbered by first appearance, so that equal sizes go by their lowest row.
    std::stable_sort(clusters.begin(), clusters.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    for (auto& rows : clusters) {
      work.progress.pulse();
      sort_by_typicality(batch.features, rows);
    }
    const auto small = std::find_if(clusters.begin(), clusters.end(), [&](const auto& rows) {
      return static_cast<Index>(rows.size()) <= options_.small;
    });
    std::vector<Index> out;
    take_in_turns(std::span(clusters.begin(), small), out);
    take_in_turns(std::span(small, clusters.end()), out);
    return out;
  }

  void drop_unused(Evidence& block) const override {
    for (Matrix* unused :
         {&block.logits, &block.embedding, &block.probability, &block.membership}) {
      *unused = Matrix();
    }
  }

 private:
  // The most typical first, ties to the lower row. Neighbours are sought within the cluster: that
  // is what the method means, and cheaper than neighbours in the whole batch.
  void sort_by_typicality(const Matrix& features, std::vector<Index>& rows) const {
    const auto size = static_cast<Index>(rows.size());
    const Index k = std::min(options_.neighbours, size / 2);
    if (k == 0) {
      return;
    }
    const Matrix own = features(rows, Eigen::all);
    // The row itself is among them at distance 0 and adds nothing to the sum.
    const Neighbours near = nearest_rows(own, own, k + 1);
    Eigen::VectorXd distance(size);
    for (Index i = 0; i < size; ++i) {
      double sum = 0;
      for (Index j = 0; j <= k; ++j) {
        const auto squared = static_cast<double>(near.distance(i, j));
        sum += options_.form == "released" ? squared : std::sqrt(squared);
      }
      distance[i] = sum;
    }
    std::vector<Index> by(rows.size());
    std::iota(by.begin(), by.end(), Index{0});
    std::stable_sort(by.begin(), by.end(),
                     [&](Index a, Index b) { return distance[a] < distance[b]; });
    std::vector<Index> sorted;
    for (const Index i : by) {
      sorted.push_back(rows[static_cast<std::size_t>(i)]);
    }
    rows = std::move(sorted);
  }

  // One of each, largest first, then the second of each: always the one with the fewest labels.
  static void take_in_turns(std::span<const std::vector<Index>> clusters, std::vector<Index>& out) {
    for (std::size_t turn = 0; !clusters.empty() && turn < clusters.front().size(); ++turn) {
      for (const auto& rows : clusters) {
        if (turn < rows.size()) {
          out.push_back(rows[turn]);
        }
      }
    }
  }

  TypiclustOptions options_;
};

}  // namespace

PartSpec typiclust_spec() {
  return part_spec<TypiclustOptions, Typiclust>(
      "typiclust", {Slot::feedback},
      "the most typical row of each cluster, large clusters first: good with few labels. Labels "
      "count within the batch; typicality, 1 / mean distance to neighbours, is found once",
      "O(n k d) for k clusters and O(c^2 d) in each of size c; O(n) memory",
      "Hacohen et al., Active Learning on a Budget: Opposite Strategies Suit High and Low Budgets, "
      "ICML 2022");
}

}  // namespace tyto
