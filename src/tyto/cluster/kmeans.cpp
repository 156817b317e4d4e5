// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/math/neighbours.hpp"

namespace tyto {

namespace {

constexpr Index kAssignBlock = 4096;
constexpr float kFarthest = std::numeric_limits<float>::infinity();

class Lloyd {
 public:
  Lloyd(const MatrixView& rows, Index k, const KMeansOptions& options)
      : rows_(rows), k_(k), options_(options) {
    fixed_ = options.fixed == nullptr ? 0 : options.fixed->rows();
    given_ = fixed_;
    for (const std::int32_t group : options.pinned) {
      given_ = std::max(given_, Index{group} + 1);
    }
    TYTO_ASSERT(given_ <= k);
    TYTO_ASSERT(options.pinned.empty() || std::ssize(options.pinned) == rows.rows());
    TYTO_ASSERT(fixed_ == 0 || options.fixed->cols() == rows.cols());
  }

  KMeansResult run(Rng rng) {
    start(rng);
    double before = std::numeric_limits<double>::infinity();
    while (found_.centres.rows() > 0) {
      const bool changed = assign();
      ++found_.iterations;
      const bool first = found_.iterations == 1;
      const bool slow = !first && before - found_.inertia <= options_.tolerance * before;
      if ((!first && !changed) || slow || found_.iterations > options_.iterations) {
        break;
      }
      before = found_.inertia;
      move_centres();
    }
    drop_empty();
    return std::move(found_);
  }

 private:
  [[nodiscard]] const float* row(Index i) const { return rows_.data() + i * rows_.outerStride(); }

  [[nodiscard]] std::int32_t pin(Index i) const {
    return options_.pinned.empty() ? -1 : options_.pinned[static_cast<std::size_t>(i)];
  }

  [[nodiscard]] std::int32_t& group(Index i) { return found_.group[static_cast<std::size_t>(i)]; }

  // The given centres, then k-means++ (Arthur and Vassilvitskii 2007).
  void start(Rng& rng) {
    const Index n = rows_.rows();
    found_ = {};
    found_.group.assign(static_cast<std::size_t>(n), -1);
    found_.distance.setZero(n);
    found_.centres.setZero(given_, rows_.cols());
    if (fixed_ > 0) {
      found_.centres.topRows(fixed_) = *options_.fixed;
    }
    for (Index i = 0; i < n; ++i) {
      group(i) = pin(i);
    }
    move_centres();
    nearest_.setConstant(n, kFarthest);
    for (Index g = 0; g < given_; ++g) {
      nearest_ = nearest_.cwiseMin(distances_to(&found_.centres(g, 0)));
    }
    const auto greedy =
        2 + static_cast<Index>(std::log(static_cast<double>(std::max(k_, Index{1}))));
    std::vector<Index> seeds;
    while (given_ + std::ssize(seeds) < k_) {
      const Index seed = draw(options_.trials > 0 ? options_.trials : greedy, rng);
      if (seed < 0) {
        break;
      }
      seeds.push_back(seed);
    }
    found_.centres.conservativeResize(given_ + std::ssize(seeds), Eigen::NoChange);
    found_.centres.bottomRows(std::ssize(seeds)) = rows_(seeds, Eigen::all);
  }

  [[nodiscard]] Vector distances_to(const float* centre) const {
    Vector out(rows_.rows());
    for_each_index(rows_.rows(),
                   [&](Index i) { out[i] = squared_distance(row(i), centre, rows_.cols()); });
    return out;
  }

  // Of `trials` rows drawn by their distance to the nearest centre the one that lowers the sum of
  // these most; -1 where every row lies on a centre.
  Index draw(Index trials, Rng& rng) {
    const bool first = nearest_.size() > 0 && nearest_[0] == kFarthest;  // no centre yet
    const double total = nearest_.cast<double>().sum();
    if (!(total > 0.0)) {
      return -1;
    }
    std::vector<Index> tried;
    for (Index trial = 0; trial < (first ? 1 : trials); ++trial) {
      tried.push_back(first ? rng.below(nearest_.size()) : weighted_row(rng.uniform() * total));
    }
    // One pass for all of them: reading the rows is what takes the time.
    Eigen::MatrixXf with(rows_.rows(), std::ssize(tried));
    for_each_index(rows_.rows(), [&](Index i) {
      for (Index t = 0; t < with.cols(); ++t) {
        const float* centre = row(tried[static_cast<std::size_t>(t)]);
        with(i, t) = std::min(nearest_[i], squared_distance(row(i), centre, rows_.cols()));
      }
    });
    Index best = 0;
    double least = with.col(0).cast<double>().sum();
    for (Index t = 1; t < with.cols(); ++t) {
      if (const double sum = with.col(t).cast<double>().sum(); sum < least) {
        best = t;
        least = sum;
      }
    }
    nearest_ = with.col(best);
    return tried[static_cast<std::size_t>(best)];
  }

  [[nodiscard]] Index weighted_row(double share) const {
    Index last = -1;
    for (Index i = 0; i < nearest_.size() && share >= 0.0; ++i) {
      if (nearest_[i] > 0.0F) {  // never a row on a centre, also where rounding leaves a rest
        share -= static_cast<double>(nearest_[i]);
        last = i;
      }
    }
    return last;
  }

  // Rows to their nearest centres; true if any changed its group.
  bool assign() {
    bool changed = false;
    std::vector<Index> size(static_cast<std::size_t>(found_.centres.rows()), 0);
    in_blocks(rows_.rows(), kAssignBlock, [&](Index begin, Index count) {
      const Neighbours nearest = nearest_rows(rows_.middleRows(begin, count), found_.centres, 1);
      for (Index i = begin; i < begin + count; ++i) {
        const bool free = pin(i) < 0;
        const std::int32_t to = free ? nearest.row(i - begin, 0) : pin(i);
        found_.distance[i] = free ? nearest.distance(i - begin, 0)
                                  : squared_distance(row(i), &found_.centres(to, 0), rows_.cols());
        changed = changed || to != group(i);
        group(i) = to;
        ++size[static_cast<std::size_t>(to)];
      }
    });
    for (Index g = given_; g < found_.centres.rows(); ++g) {
      changed = (size[static_cast<std::size_t>(g)] == 0 && reseed(g, size)) || changed;
    }
    found_.inertia = found_.distance.cast<double>().sum();
    return changed;
  }

  // Moves an empty group to the free row furthest from its centre that leaves no group empty.
  bool reseed(Index empty, std::vector<Index>& size) {
    Index furthest = -1;
    float distance = 0.0F;
    for (Index i = 0; i < rows_.rows(); ++i) {
      const Index from = group(i);
      if (pin(i) < 0 && found_.distance[i] > distance &&
          (from < fixed_ || size[static_cast<std::size_t>(from)] > 1)) {
        furthest = i;
        distance = found_.distance[i];
      }
    }
    if (furthest < 0) {
      return false;
    }
    --size[static_cast<std::size_t>(group(furthest))];
    ++size[static_cast<std::size_t>(empty)];
    group(furthest) = static_cast<std::int32_t>(empty);
    found_.distance[furthest] = 0.0F;
    found_.centres.row(empty) = rows_.row(furthest);
    return true;
  }

  // Every centre but the fixed ones to the mean of its rows, if it has any.
  void move_centres() {
    Dense<double> sum = Dense<double>::Zero(found_.centres.rows(), rows_.cols());
    std::vector<Index> size(static_cast<std::size_t>(sum.rows()), 0);
    for (Index i = 0; i < rows_.rows(); ++i) {
      if (group(i) >= 0) {
        sum.row(group(i)) += rows_.row(i).cast<double>();
        ++size[static_cast<std::size_t>(group(i))];
      }
    }
    for (Index g = fixed_; g < sum.rows(); ++g) {
      if (const Index rows = size[static_cast<std::size_t>(g)]; rows > 0) {
        found_.centres.row(g) = (sum.row(g) / static_cast<double>(rows)).cast<float>();
      }
    }
  }

  void drop_empty() {
    std::vector<std::int32_t> number(static_cast<std::size_t>(found_.centres.rows()), -1);
    std::fill_n(number.begin(), given_, 0);
    for (const std::int32_t g : found_.group) {
      number[static_cast<std::size_t>(g)] = 0;
    }
    std::vector<Index> kept;
    for (std::size_t g = 0; g < number.size(); ++g) {
      if (number[g] == 0) {
        number[g] = static_cast<std::int32_t>(kept.size());
        kept.push_back(static_cast<Index>(g));
      }
    }
    found_.centres = found_.centres(kept, Eigen::all).eval();
    for (std::int32_t& g : found_.group) {
      g = number[static_cast<std::size_t>(g)];
    }
  }

  const MatrixView& rows_;
  Index k_;
  const KMeansOptions& options_;
  Index fixed_ = 0;  // groups whose centre never moves
  Index given_ = 0;  // groups with a centre before any is drawn
  Vector nearest_;   // squared distance of each row to the nearest centre so far
  KMeansResult found_;
};

}  // namespace

KMeansResult k_means(const MatrixView& rows, Index k, Rng rng, const KMeansOptions& options) {
  TYTO_ASSERT(k > 0);
  TYTO_ASSERT(options.starts > 0);
  Lloyd lloyd(rows, k, options);
  KMeansResult best = lloyd.run(rng.fork("start", 0));
  for (Index start = 1; start < options.starts; ++start) {
    KMeansResult next = lloyd.run(rng.fork("start", static_cast<std::uint64_t>(start)));
    if (next.inertia < best.inertia) {
      best = std::move(next);
    }
  }
  return best;
}

}  // namespace tyto
