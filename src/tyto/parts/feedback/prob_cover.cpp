// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/feedback/prob_cover.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"

namespace tyto {

namespace {

constexpr Index kSome = 256;   // rows measured at a time
constexpr Index kMany = 2048;  // against so many
constexpr float kUncovered = std::numeric_limits<float>::infinity();

// Calls found(i, j) for all i of `some` and all rows j with squared_distance below `radius`. A
// matrix product decides what is clear beyond its rounding error, so that the answer is the same in
// whatever block a pair comes. i outside, parallel over j: found must only touch what belongs to j.
class Balls {
 public:
  Balls(const MatrixView& rows, float radius)
      : rows_(rows), norms_(squared_norms(rows)), radius_(radius) {
    constexpr float kUnit = std::numeric_limits<float>::epsilon() / 2;
    share_ = (1.25F * static_cast<float>(rows.cols()) + 32.0F) * kUnit;
  }

  template <class Found>
  void each_pair(Rows some, const Found& found) const {
    for (std::size_t begin = 0; begin < some.size(); begin += kSome) {
      const Rows block = some.subspan(begin, std::min<std::size_t>(kSome, some.size() - begin));
      Matrix asked(static_cast<Index>(block.size()), rows_.cols());
      for (std::size_t i = 0; i < block.size(); ++i) {
        asked.row(static_cast<Index>(i)) = rows_.row(block[i]);
      }
      in_blocks(rows_.rows(), kMany, [&](Index first, Index count) {
        const Matrix products = rows_.middleRows(first, count) * asked.transpose();
        share_loop(count, 4 * asked.rows(), [&](Index j) {
          for (std::size_t i = 0; i < block.size(); ++i) {
            if (is_within(block[i], first + j, products(j, static_cast<Index>(i)))) {
              found(block[i], first + j);
            }
          }
        });
      });
    }
  }

 private:
  [[nodiscard]] bool is_within(Index a, Index b, float product) const {
    if (a == b || radius_ == kUncovered) {
      return true;
    }
    const float both = norms_[a] + norms_[b];
    const float rough = both - 2.0F * product;
    const float margin = share_ * both;
    if (rough > radius_ + margin) {
      return false;
    }
    if (rough < radius_ - margin) {
      return true;
    }
    const Index stride = rows_.outerStride();
    return squared_distance(rows_.data() + a * stride, rows_.data() + b * stride, rows_.cols()) <
           radius_;
  }

  const MatrixView& rows_;
  Vector norms_;
  float radius_, share_ = 0;
};

}  // namespace

float pure_radius(const MatrixView& rows, std::span<const std::int32_t> group, Rows judges,
                  double purity) {
  TYTO_ASSERT(!judges.empty() && static_cast<Index>(group.size()) == rows.rows());
  // A ball stays pure as long as it does not reach the nearest row of another group.
  std::vector<float> reach(judges.size(), kUncovered);
  const Index stride = rows.outerStride();
  for (std::size_t begin = 0; begin < judges.size(); begin += kSome) {
    const auto count = std::min<std::size_t>(kSome, judges.size() - begin);
    Matrix asked(static_cast<Index>(count), rows.cols());
    for (std::size_t i = 0; i < count; ++i) {
      asked.row(static_cast<Index>(i)) = rows.row(judges[begin + i]);
    }
    in_blocks(rows.rows(), kMany, [&](Index first, Index many) {
      const Matrix distances = squared_distances(asked, rows.middleRows(first, many));
      for_each_index(static_cast<Index>(count), [&](Index i) {
        const Index judge = judges[begin + static_cast<std::size_t>(i)];
        Index nearest = -1;
        for (Index j = 0; j < many; ++j) {
          const bool other =
              group[static_cast<std::size_t>(first + j)] != group[static_cast<std::size_t>(judge)];
          if (other && (nearest < 0 || distances(i, j) < distances(i, nearest))) {
            nearest = j;
          }
        }
        if (nearest >= 0) {
          float& best = reach[begin + static_cast<std::size_t>(i)];
          best = std::min(best,
                          squared_distance(rows.data() + judge * stride,
                                           rows.data() + (first + nearest) * stride, rows.cols()));
        }
      });
    });
  }
  std::sort(reach.begin(), reach.end());
  const auto n = static_cast<double>(reach.size());
  const auto pure = static_cast<std::size_t>(std::clamp(std::ceil(purity * n - 1e-9), 1.0, n));
  return reach[reach.size() - pure];
}

std::vector<Index> cover_greedily(const MatrixView& rows, float radius, std::vector<bool> covered,
                                  Index picks, Progress& progress) {
  const Index n = rows.rows();
  covered.resize(static_cast<std::size_t>(n), false);
  const Balls balls(rows, radius);
  std::vector<Index> order;
  std::vector<bool> taken(static_cast<std::size_t>(n), false);
  std::vector<Index> gain(static_cast<std::size_t>(n), 0);  // rows not covered in the ball of each
  const auto change = [&](Rows which, Index by) {
    balls.each_pair(which, [&](Index, Index j) { gain[static_cast<std::size_t>(j)] += by; });
  };
  const auto open_rows = [&] {
    std::vector<Index> open;
    for (Index i = 0; i < n; ++i) {
      if (!covered[static_cast<std::size_t>(i)]) {
        open.push_back(i);
      }
    }
    return open;
  };
  change(open_rows(), 1);
  while (static_cast<Index>(order.size()) < std::min(picks, n)) {
    progress.pulse();
    Index best = -1;
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!taken[at] && (best < 0 || gain[at] > gain[static_cast<std::size_t>(best)])) {
        best = i;
      }
    }
    if (gain[static_cast<std::size_t>(best)] == 0) {
      covered = taken;
      std::fill(gain.begin(), gain.end(), Index{0});
      change(open_rows(), 1);
      continue;
    }
    order.push_back(best);
    taken[static_cast<std::size_t>(best)] = true;
    std::vector<std::uint8_t> inside(static_cast<std::size_t>(n), 0);
    balls.each_pair(std::span(&best, 1),
                    [&](Index, Index j) { inside[static_cast<std::size_t>(j)] = 1; });
    std::vector<Index> newly;
    for (Index j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (inside[at] != 0 && !covered[at]) {
        covered[at] = true;
        newly.push_back(j);
      }
    }
    change(newly, -1);
  }
  return order;
}

}  // namespace tyto
