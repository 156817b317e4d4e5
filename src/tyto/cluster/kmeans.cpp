// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/kmeans.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/all_finite.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/math/neighbours.hpp"
#include "tyto/math/product_bound.hpp"
#include "tyto/math/rough_products.hpp"

namespace tyto {

namespace {

constexpr Index kAssignBlock = 2048;
constexpr Index kSumRuns = 4;
constexpr int kBalancing = 30;     // rounds of Sinkhorn and Knopp
constexpr double kSharpness = 20;  // of their soft assignment, in units of the mean distance
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
    norms_ = squared_norms(rows);
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
      const bool slow = !first && options_.least_shift == 0.0 &&
                        options_.sizes != GroupSizes::even &&
                        std::abs(before - cost_) <= options_.tolerance * std::abs(before);
      if ((!first && !changed) || slow || found_.iterations > options_.iterations) {
        break;
      }
      before = cost_;
      const double moved = move_centres();
      if (options_.least_shift > 0.0 && moved * moved < options_.least_shift) {
        assign();  // to the centres as they stand now
        break;
      }
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
    price_.setZero(0);
    move_centres();
    nearest_.setConstant(n, kFarthest);
    if (given_ > 0) {
      in_blocks(n, kAssignBlock, [&](Index begin, Index count) {
        nearest_.segment(begin, count) = nearest_of(begin, count).distance.col(0);
      });
    }
    for (Index i = 0; i < n && !options_.draw_pinned; ++i) {
      nearest_[i] = pin(i) >= 0 ? 0.0F : nearest_[i];  // never drawn, and adds nothing to a sum
    }
    const auto greedy =
        2 + static_cast<Index>(std::log(static_cast<double>(std::max(k_, Index{1}))));
    std::vector<Index> seeds;
    constexpr Index kFewSeeds = 32;
    if (rough_products_pay(rows_.cols()) && k_ - given_ >= kFewSeeds && n > RoughProducts::kMost &&
        all_finite(rows_)) {
      rough_.emplace(rows_);
    }
    while (given_ + std::ssize(seeds) < k_) {
      heed_interrupts();
      const Index seed = draw(options_.trials > 0 ? options_.trials : greedy, rng);
      if (seed < 0) {
        break;
      }
      seeds.push_back(seed);
    }
    found_.centres.conservativeResize(given_ + std::ssize(seeds), Eigen::NoChange);
    found_.centres.bottomRows(std::ssize(seeds)) = rows_(seeds, Eigen::all);
    rough_.reset();
  }

  // with(i, t): the distance of row i to the nearest centre were row tried[t] one, too. Where
  // rounded rows tell that it is none nearer, it is not measured.
  void measure_near(const std::vector<Index>& tried, Eigen::MatrixXf& with) const {
    constexpr Index kGroup = RoughProducts::kQueries;
    const RoughQueries queries(Matrix(rows_(tried, Eigen::all)));
    const float share = product_rounding_share(rows_.cols());
    for_each_index((rows_.rows() + RoughProducts::kMost - 1) / RoughProducts::kMost, [&](Index b) {
      const Index first = b * RoughProducts::kMost;
      const Index count = std::min(RoughProducts::kMost, rows_.rows() - first);
      RoughProducts products;
      std::array<float, RoughProducts::kMost> least;
      for (Index t = 0; t < queries.rows; ++t) {
        if (t % kGroup == 0) {
          products.multiply(queries, t, *rough_, first, count);
        }
        products.bounds(t % kGroup, least.data());
        const Index own = tried[static_cast<std::size_t>(t)];
        for (Index j = 0; j < count; ++j) {
          const Index i = first + j;
          const float margin = share * (norms_[own] + norms_[i]);
          const bool far = least[static_cast<std::size_t>(j)] + norms_[own] - margin > nearest_[i];
          with(i, t) =
              far ? nearest_[i]
                  : std::min(nearest_[i], squared_distance(row(i), row(own), rows_.cols()));
        }
      }
    });
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
    Eigen::MatrixXf with(rows_.rows(), std::ssize(tried));
    if (rough_ && !first) {
      measure_near(tried, with);
    } else {
      // One pass for all of them: reading the rows is what takes the time.
      for_each_index(rows_.rows(), [&](Index i) {
        for (Index t = 0; t < with.cols(); ++t) {
          const float* centre = row(tried[static_cast<std::size_t>(t)]);
          with(i, t) = std::min(nearest_[i], squared_distance(row(i), centre, rows_.cols()));
        }
      });
    }
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
    set_prices();
    in_blocks(rows_.rows(), kAssignBlock, [&](Index begin, Index count) {
      heed_interrupts();
      const Neighbours nearest = nearest_of(begin, count);
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
    for (Index g = given_; options_.reseed && g < found_.centres.rows(); ++g) {
      changed = (size[static_cast<std::size_t>(g)] == 0 && reseed(g, size)) || changed;
    }
    found_.inertia = found_.distance.cast<double>().sum();
    cost_ = found_.inertia;
    for (std::size_t g = 0; g < size.size() && price_.size() > 0; ++g) {
      cost_ += static_cast<double>(size[g]) * static_cast<double>(price_[static_cast<Index>(g)]);
    }
    return changed;
  }

  // The best centre of each row of a block, with the squared distance to it.
  [[nodiscard]] Neighbours nearest_of(Index begin, Index count) const {
    Neighbours out{Dense<std::int32_t>(count, 1), Matrix(count, 1)};
    const auto block = rows_.middleRows(begin, count);
    const auto settle = [&](Index i, Index best) {
      out.row(i, 0) = static_cast<std::int32_t>(best);
      out.distance(i, 0) = squared_distance(row(begin + i), &found_.centres(best, 0), rows_.cols());
    };
    if (price_.size() > 0) {
      const Matrix distance = distances(block);
      for_each_index(count, [&](Index i) {
        Index best = 0;
        (distance.row(i) + price_.transpose()).minCoeff(&best);
        settle(i, best);
      });
      return out;
    }
    // A product rules out what is too far by more than its rounding error; the few that are left
    // are measured, so that neither blocks nor threads show.
    const float share = product_rounding_share(rows_.cols());
    const Vector norms = squared_norms(found_.centres);
    const float widest = norms.maxCoeff();
    Matrix value = block * found_.centres.transpose();
    for_each_index(count, [&](Index i) {
      auto far = value.row(i).array();
      far = norms.transpose().array() - 2.0F * far;
      Index best = 0;
      const float least = far.minCoeff(&best);
      const float limit = least + 2.0F * share * (norms_[begin + i] + widest);
      settle(i, best);
      if ((far <= limit).count() != 1) {  // also where they overflow to NaN
        for (Index g = 0; g < far.size(); ++g) {
          if (far[g] > limit) {
            continue;
          }
          const float distance =
              squared_distance(row(begin + i), &found_.centres(g, 0), rows_.cols());
          const bool lower = g < out.row(i, 0);
          if (distance < out.distance(i, 0) || (distance == out.distance(i, 0) && lower)) {
            out.row(i, 0) = static_cast<std::int32_t>(g);
            out.distance(i, 0) = distance;
          }
        }
      }
    });
    return out;
  }

  // To all centres, about their middle: else large numbers cancel.
  [[nodiscard]] Matrix distances(const MatrixView& block) const {
    const Eigen::RowVectorXf middle = found_.centres.colwise().mean();
    return squared_distances(block.rowwise() - middle, found_.centres.rowwise() - middle);
  }

  // What a centre costs a row besides its distance.
  void set_prices() {
    const Index groups = found_.centres.rows();
    if (options_.sizes == GroupSizes::weighted && found_.iterations > 0) {
      std::vector<double> size(static_cast<std::size_t>(groups), 1.0);  // none has the share 0
      for (const std::int32_t g : found_.group) {
        size[static_cast<std::size_t>(g)] += 1.0;
      }
      const auto n = static_cast<double>(rows_.rows());
      const double variance =
          found_.inertia / (n * static_cast<double>(std::max<Index>(1, rows_.cols())));
      price_.resize(groups);
      for (Index g = 0; g < groups; ++g) {
        const double share = size[static_cast<std::size_t>(g)] / (n + static_cast<double>(groups));
        price_[g] = static_cast<float>(-2.0 * variance * std::log(share));
      }
    } else if (options_.sizes == GroupSizes::even) {
      balance();
    }
  }

  // Prices at which soft assignment gives every group the same number of rows, pinned ones counted.
  void balance() {
    const Index groups = found_.centres.rows();
    std::vector<Index> rows;
    Eigen::VectorXd room =
        Eigen::VectorXd::Constant(groups, static_cast<double>(rows_.rows()) /
                                              static_cast<double>(std::max<Index>(1, groups)));
    for (Index i = 0; i < rows_.rows(); ++i) {
      if (pin(i) < 0) {
        rows.push_back(i);
      } else {
        room[pin(i)] -= 1.0;
      }
    }
    price_.setZero(groups);
    if (rows.empty() || groups < 2) {
      return;
    }
    room = room.cwiseMax(1.0);
    room *= static_cast<double>(rows.size()) / room.sum();
    Matrix soft = distances(rows_(rows, Eigen::all));
    const float mean = soft.mean();  // to all centres: what a row may be moved by
    if (!(mean > 0.0F)) {
      return;
    }
    const float sharp = static_cast<float>(kSharpness) / mean;
    for_each_index(soft.rows(), [&](Index i) {
      soft.row(i) = ((soft.row(i).minCoeff() - soft.row(i).array()) * sharp).exp();
    });
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(groups);
    for (int round = 0; round < kBalancing; ++round) {
      const Vector now = scale.cast<float>();
      const Vector share = (soft * now).cwiseMax(1e-30F).cwiseInverse();
      const Eigen::VectorXd got = (soft.transpose() * share).cast<double>();
      scale = room.cwiseQuotient(got.cwiseMax(1e-30));
      scale /= scale.mean();
    }
    price_ = -(scale.array().max(1e-30).log() / static_cast<double>(sharp)).cast<float>();
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

  // Every centre but the fixed ones to the mean of its rows, if it has any; the sum of what they
  // moved.
  double move_centres() {
    const Index groups = found_.centres.rows();
    // In as many runs of rows whatever the threads, added up in their order.
    std::vector<Dense<double>> sums(kSumRuns);
    const Index each = (rows_.rows() + kSumRuns - 1) / kSumRuns;
    share_loop(kSumRuns, each * rows_.cols(), [&](Index run) {
      Dense<double>& own = sums[static_cast<std::size_t>(run)];
      own.setZero(groups, rows_.cols());
      const Index end = std::min(rows_.rows(), (run + 1) * each);
      for (Index i = run * each; i < end; ++i) {
        if (const std::int32_t g = found_.group[static_cast<std::size_t>(i)]; g >= 0) {
          own.row(g) += rows_.row(i).cast<double>();
        }
      }
    });
    Dense<double> sum = std::move(sums.front());
    for (std::size_t run = 1; run < sums.size(); ++run) {
      sum += sums[run];
    }
    std::vector<Index> size(static_cast<std::size_t>(groups), 0);
    for (const std::int32_t g : found_.group) {
      if (g >= 0) {
        ++size[static_cast<std::size_t>(g)];
      }
    }
    double moved = 0.0;
    for (Index g = fixed_; g < groups; ++g) {
      if (const Index rows = size[static_cast<std::size_t>(g)]; rows > 0) {
        const Eigen::RowVectorXf mean = (sum.row(g) / static_cast<double>(rows)).cast<float>();
        moved += static_cast<double>((mean - found_.centres.row(g)).norm());
        found_.centres.row(g) = mean;
      }
    }
    return moved;
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
    if (price_.size() > 0) {
      found_.price = price_(kept);
    }
    for (std::int32_t& g : found_.group) {
      g = number[static_cast<std::size_t>(g)];
    }
  }

  const MatrixView& rows_;
  Index k_;
  const KMeansOptions& options_;
  Index fixed_ = 0;                       // groups whose centre never moves
  Index given_ = 0;                       // groups with a centre before any is drawn
  Vector norms_;                          // of the rows
  std::optional<RoughReferences> rough_;  // the rows, while centres are drawn
  Vector nearest_;   // squared distance of each row to the nearest centre so far
  Vector price_;     // of each centre; empty: none has one
  double cost_ = 0;  // inertia and prices
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
