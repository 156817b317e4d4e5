// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/extremes/extreme_vectors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"
#include "tyto/math/product_bound.hpp"
#include "tyto/parts/extremes/other_class_tails.hpp"
#include "tyto/parts/extremes/set_cover.hpp"

namespace tyto {

namespace {

constexpr Index kQueries = 256;

// Length 1; a row of zeros has no direction and stays.
void normalise(Matrix& rows) {
  for (Index i = 0; i < rows.rows(); ++i) {
    const float norm = rows.row(i).norm();
    rows.row(i) *= norm > 0.0F ? 1.0F / norm : 0.0F;
  }
}

bool in_order(const std::vector<Index>& rows, Index count) {
  return static_cast<Index>(rows.size()) == count && std::is_sorted(rows.begin(), rows.end());
}

template <class T>
void pick(std::vector<T>& items, const std::vector<Index>& rows) {
  std::vector<T> out;
  out.reserve(rows.size());
  for (const Index row : rows) {
    out.push_back(items[static_cast<std::size_t>(row)]);
  }
  items = std::move(out);
}

// The largest `count` pulls of one class's vectors on one query. `loose(j)` is at least the pull of
// vector j, `exact(j)` is the pull itself, and dear.
template <class Loose, class Exact>
void largest_pulls(Index begin, Index end, Index count, const Loose& loose, const Exact& exact,
                   std::vector<double>& best) {
  best.clear();
  const auto offer = [&](Index j) {
    const double value = exact(j);
    best.insert(std::upper_bound(best.begin(), best.end(), value, std::greater<>()), value);
    best.resize(std::min(best.size(), static_cast<std::size_t>(count)));
  };
  Index likeliest = begin;  // measured first, it rules out nearly all the others
  for (Index j = begin + 1; j < end; ++j) {
    if (loose(j) > loose(likeliest)) {
      likeliest = j;
    }
  }
  offer(likeliest);
  for (Index j = begin; j < end; ++j) {
    const bool full = static_cast<Index>(best.size()) == count;
    if (j != likeliest && !(full && loose(j) < best.back())) {
      offer(j);
    }
  }
}

}  // namespace

ExtremeVectors::Change ExtremeVectors::add(Matrix points, const std::vector<std::int32_t>& classes,
                                           const std::function<void()>& pulse) {
  if (points.rows() == 0) {
    return {};
  }
  if (settings_.form.cosine) {
    normalise(points);
  }
  const Index old = points_.rows();
  const Index all = old + points.rows();
  const bool had_margins = classes_.size() > 1;
  if (old == 0) {
    points_ = std::move(points);
  } else {
    points_.conservativeResize(all, Eigen::NoChange);
    points_.bottomRows(all - old) = points;
    points.resize(0, 0);
  }
  owners_.insert(owners_.end(), classes.begin(), classes.end());
  inclusions_.resize(static_cast<std::size_t>(all));
  Change change;
  change.fitted = all - old;
  const bool alone = std::all_of(owners_.begin(), owners_.end(),
                                 [&](std::int32_t owner) { return owner == owners_.front(); });
  const double unit = alone ? spread() : 1.0;
  if (settings_.keeps_tails) {
    tails_.conservativeResize(all, settings_.tail);
    const auto hit = update_other_class_tails(points_, owners_, old, tails_, pulse);
    std::vector<Index> due;
    for (Index i = 0; i < all; ++i) {
      if (i < old && hit[static_cast<std::size_t>(i)] != 0) {
        change.refitted.push_back(i);
      }
      if (i >= old || hit[static_cast<std::size_t>(i)] != 0 || alone) {
        due.push_back(i);
      }
    }
    for_each_index(static_cast<Index>(due.size()), [&](Index k) {
      const Index i = due[static_cast<std::size_t>(k)];
      const std::span<const float> tail(&tails_(i, 0), static_cast<std::size_t>(tails_.cols()));
      inclusions_[static_cast<std::size_t>(i)] =
          fit_inclusion(tail, settings_.multiplier, unit, settings_.form);
    });
    pulse();
  } else {
    TYTO_ASSERT(old == 0);
    fit_at_once(unit, pulse);
  }

  std::vector<Index> order(static_cast<std::size_t>(all));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return owners_[static_cast<std::size_t>(a)] < owners_[static_cast<std::size_t>(b)];
  });
  std::vector<std::uint8_t> fresh;
  for (const Index row : order) {
    fresh.push_back(row >= old ? 1 : 0);
  }
  keep(order);
  if (!alone && settings_.cover < 1.0) {
    keep(thinned(fresh, !had_margins));
  }
  return change;
}

void ExtremeVectors::fit_at_once(double unit, const std::function<void()>& pulse) {
  const Index n = points_.rows();
  in_blocks(n, kQueries, [&](Index begin, Index count) {
    for_each_index(count, [&](Index k) {
      const Index i = begin + k;
      const float* mine = points_.data() + i * points_.outerStride();
      std::vector<float> tail;
      for (Index j = 0; j < n; ++j) {
        if (owners_[static_cast<std::size_t>(j)] != owners_[static_cast<std::size_t>(i)]) {
          tail.push_back(
              squared_distance(mine, points_.data() + j * points_.outerStride(), points_.cols()));
        }
      }
      const auto most = std::min(tail.size(), static_cast<std::size_t>(settings_.tail));
      std::partial_sort(tail.begin(), tail.begin() + static_cast<std::ptrdiff_t>(most), tail.end());
      tail.resize(most);
      inclusions_[static_cast<std::size_t>(i)] =
          fit_inclusion(tail, settings_.multiplier, unit, settings_.form);
    });
    pulse();
  });
}

double ExtremeVectors::spread() const {
  const Eigen::RowVectorXd mean = points_.cast<double>().colwise().mean();
  double sum = 0.0;
  for (Index i = 0; i < points_.rows(); ++i) {
    sum += (points_.row(i).cast<double>() - mean).squaredNorm();
  }
  const double square = sum / static_cast<double>(points_.rows());
  return square > 0.0 ? settings_.form.cosine ? 0.5 * square : std::sqrt(square) : 1.0;
}

std::vector<Index> ExtremeVectors::thinned(const std::vector<std::uint8_t>& fresh, bool all) const {
  std::vector<Index> kept;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const Index begin = first_[c];
    const Index count = first_[c + 1] - begin;
    const auto from = fresh.begin() + begin;
    if (!all && std::find(from, from + count, 1) == from + count) {
      for (Index i = 0; i < count; ++i) {
        kept.push_back(begin + i);
      }
      continue;
    }
    Vector radius(count);
    for (Index i = 0; i < count; ++i) {
      radius[i] = static_cast<float>(
          reach(inclusions_[static_cast<std::size_t>(begin + i)], settings_.cover, settings_.form));
    }
    std::vector<Index> picked = greedy_cover(points_.middleRows(begin, count), radius);
    std::sort(picked.begin(), picked.end());
    for (const Index i : picked) {
      kept.push_back(begin + i);
    }
  }
  return kept;
}

void ExtremeVectors::keep(const std::vector<Index>& rows) {
  if (!in_order(rows, points_.rows())) {
    points_ = Matrix(points_(rows, Eigen::all));
    if (settings_.keeps_tails) {
      tails_ = Matrix(tails_(rows, Eigen::all));
    }
    pick(owners_, rows);
    pick(inclusions_, rows);
  }
  index_classes();
}

void ExtremeVectors::index_classes() {
  classes_.clear();
  first_.clear();
  for (std::size_t i = 0; i < owners_.size(); ++i) {
    if (i == 0 || owners_[i] != owners_[i - 1]) {
      classes_.push_back(owners_[i]);
      first_.push_back(static_cast<Index>(i));
    }
  }
  first_.push_back(static_cast<Index>(owners_.size()));
}

Dense<double> ExtremeVectors::strangeness_of(const MatrixView& raw) const {
  Dense<double> out(raw.rows(), static_cast<Index>(classes_.size()));
  if (out.size() == 0) {
    return out;
  }
  Matrix queries = raw;
  if (settings_.form.cosine) {
    normalise(queries);
  }
  const Vector norms = squared_norms(points_);
  const float share = product_rounding_share(points_.cols());
  Matrix products;
  in_blocks(queries.rows(), kQueries, [&](Index begin, Index count) {
    for (std::size_t c = 0; c < classes_.size();) {
      // Whole classes, about as many vectors as fill a block of products.
      std::size_t last = c + 1;
      while (last < classes_.size() && first_[last + 1] - first_[c] <= 8 * kQueries) {
        ++last;
      }
      const Index from = first_[c];
      products.resize(count, first_[last] - from);
      products.noalias() = queries.middleRows(begin, count) *
                           points_.middleRows(from, first_[last] - from).transpose();
      for_each_index(count, [&](Index i) {
        const float* query = &queries(begin + i, 0);
        const float norm = queries.row(begin + i).squaredNorm();
        // The nearest that the product allows for: its rounding never hides the true best.
        std::vector<double> loose(static_cast<std::size_t>(products.cols()));
        for (Index j = 0; j < products.cols(); ++j) {
          const float both = norm + norms[from + j];
          const float nearest =
              std::max(0.0F, both * (1.0F - 2.0F * share) - 2.0F * products(i, j));
          loose[static_cast<std::size_t>(j)] =
              pull(inclusions_[static_cast<std::size_t>(from + j)], nearest, settings_.form);
        }
        std::vector<double> best;
        for (std::size_t k = c; k < last; ++k) {
          largest_pulls(
              first_[k], first_[k + 1], settings_.fuse,
              [&](Index j) { return loose[static_cast<std::size_t>(j - from)]; },
              [&](Index j) {
                const float far = squared_distance(query, &points_(j, 0), points_.cols());
                return pull(inclusions_[static_cast<std::size_t>(j)], far, settings_.form);
              },
              best);
          for (double& value : best) {
            value = strangeness(value, settings_.form);
          }
          out(begin + i, static_cast<Index>(k)) =
              best.size() == 1 ? best.front() : mean_strangeness(best);
        }
      });
      c = last;
    }
  });
  return out;
}

void ExtremeVectors::save(State& state) const {
  state.set("points", points_);
  state.set("tails", tails_);
  state.set("owners", std::vector<std::int64_t>(owners_.begin(), owners_.end()));
  Dense<double> inclusions(static_cast<Index>(inclusions_.size()), 3);
  for (Index i = 0; i < inclusions.rows(); ++i) {
    const Inclusion& one = inclusions_[static_cast<std::size_t>(i)];
    inclusions.row(i) << one.weibull.scale, one.weibull.shape, one.edge;
  }
  state.set("inclusions", std::move(inclusions));
}

void ExtremeVectors::load(const State& state) {
  points_ = state.get<Matrix>("points");
  tails_ = state.get<Matrix>("tails");
  owners_.clear();
  for (const std::int64_t owner : state.get<std::vector<std::int64_t>>("owners")) {
    owners_.push_back(static_cast<std::int32_t>(owner));
  }
  const auto& inclusions = state.get<Dense<double>>("inclusions");
  inclusions_.clear();
  for (Index i = 0; i < inclusions.rows(); ++i) {
    inclusions_.push_back({{inclusions(i, 0), inclusions(i, 1)}, inclusions(i, 2)});
  }
  index_classes();
}

}  // namespace tyto
