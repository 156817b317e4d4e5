// SPDX-License-Identifier: Apache-2.0
// Compiled without contraction: x s - y t with one rounding less is not 0 for equal rows.
#include "tyto/cluster/row_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/lanes.hpp"

namespace tyto {

namespace {

constexpr Index kLanes = 8;
constexpr float kUnit = std::numeric_limits<float>::epsilon() / 2;

}  // namespace

Metric metric_of(std::string_view word) {
  return word == "cosine"      ? Metric::cosine
         : word == "euclidean" ? Metric::euclidean
                               : Metric::manhattan;
}

float ProductFrame::squared(double distance) const {
  // Rounding of the measured distance to float32 is covered by the last factor.
  const double square = is_cosine ? 2.0 * distance : (distance * scale) * (distance * scale);
  return static_cast<float>(square * (1.0 + 1e-6));
}

float ProductFrame::margin(float norm, float other) const {
  // A product of d terms is off by at most d u |q||r|; norms, the rows themselves and the sums here
  // are rounded too. The last term is for squares too small to be normal.
  const auto terms = static_cast<float>(width);
  return (1.25F * terms + 64.0F) * kUnit * (norm + other) +
         4.0F * terms * std::numeric_limits<float>::min();
}

template <class T>
RowDistance<T>::RowDistance(const DenseView<T>& rows, Metric metric, bool timed)
    : rows_(rows), metric_(metric), timed_(timed), width_(rows.cols() - (timed ? 1 : 0)) {
  if (metric_ == Metric::cosine) {
    scale_.resize(static_cast<std::size_t>(rows_.rows()));
    share_loop(rows_.rows(), width_, [&](Index i) { refresh(i); });
  }
}

template <class T>
void RowDistance<T>::refresh(Index i) {
  if (metric_ == Metric::cosine) {
    const T* x = row(i);
    const double square = sum_in_lanes<double, kLanes>(width_, [=](Index j) {
      const auto value = static_cast<double>(x[j]);
      return value * value;
    });
    scale_[static_cast<std::size_t>(i)] = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
  }
}

template <class T>
double RowDistance<T>::operator()(Index i, Index j) const {
  const T* x = row(i);
  const T* y = row(j);
  T distance = 0;
  if (metric_ == Metric::cosine) {
    const double s = scale_[static_cast<std::size_t>(i)];
    const double t = scale_[static_cast<std::size_t>(j)];
    const double square = sum_in_lanes<double, kLanes>(width_, [=](Index k) {
      const double difference = static_cast<double>(x[k]) * s - static_cast<double>(y[k]) * t;
      return difference * difference;
    });
    // The step by 1 makes ties of what differs by less than 1 - x.y could tell in double: rows that
    // are multiples of one another.
    const double cosine = 1.0 - 0.5 * square;
    distance = s == 0.0 || t == 0.0 ? T{1} : static_cast<T>(std::min(1.0 - cosine, 2.0));
  } else if (metric_ == Metric::euclidean) {
    const double square = sum_in_lanes<double, kLanes>(width_, [=](Index k) {
      const double difference = static_cast<double>(x[k]) - static_cast<double>(y[k]);
      return difference * difference;
    });
    distance = std::sqrt(static_cast<T>(square));
  } else {
    distance = static_cast<T>(sum_in_lanes<double, kLanes>(width_, [=](Index k) {
      return std::abs(static_cast<double>(x[k]) - static_cast<double>(y[k]));
    }));
  }
  return static_cast<double>(timed_ ? distance * std::abs(x[width_] - y[width_]) : distance);
}

template <class T>
template <class At>
ProductFrame RowDistance<T>::frame_of(Index count, const At& at) const {
  TYTO_ASSERT(has_products());
  ProductFrame out;
  out.width = width_;
  out.is_cosine = metric_ == Metric::cosine;
  if (out.is_cosine) {
    return out;
  }
  out.mean = Eigen::VectorXd::Zero(width_);
  for (Index i = 0; i < count; ++i) {
    const T* x = row(at(i));
    for (Index j = 0; j < width_; ++j) {
      out.mean[j] += static_cast<double>(x[j]);
    }
  }
  out.mean /= static_cast<double>(std::max<Index>(count, 1));
  std::vector<double> greatest(static_cast<std::size_t>(count));
  share_loop(count, width_, [&](Index i) {
    const T* x = row(at(i));
    double most = 0.0;
    for (Index j = 0; j < width_; ++j) {
      most = std::max(most, std::abs(static_cast<double>(x[j]) - out.mean[j]));
    }
    greatest[static_cast<std::size_t>(i)] = most;
  });
  const double most = count > 0 ? *std::max_element(greatest.begin(), greatest.end()) : 0.0;
  out.scale = most > 0.0 ? std::exp2(-std::ilogb(most)) : 1.0;
  return out;
}

template <class T>
template <class At>
ProductRows RowDistance<T>::framed(const ProductFrame& frame, Index count, const At& at) const {
  ProductRows out;
  out.frame = frame;
  out.rows.resize(count, width_);
  out.norms.resize(count);
  share_loop(count, 2 * width_, [&](Index i) {
    const T* from = row(at(i));
    float* x = &out.rows(i, 0);
    if (frame.is_cosine) {
      const double s = scale_[static_cast<std::size_t>(at(i))];
      for (Index j = 0; j < width_; ++j) {
        x[j] = static_cast<float>(static_cast<double>(from[j]) * s);
      }
    } else {
      for (Index j = 0; j < width_; ++j) {
        x[j] = static_cast<float>((static_cast<double>(from[j]) - frame.mean[j]) * frame.scale);
      }
    }
    const double square = sum_in_lanes<double, kLanes>(width_, [=](Index j) {
      const auto value = static_cast<double>(x[j]);
      return value * value;
    });
    // A zero row gets 1, so that 1 + 1 - 0 is twice its distance of 1.
    out.norms[i] = is_zero(at(i)) ? 1.0F : static_cast<float>(square);
  });
  return out;
}

template <class T>
ProductFrame RowDistance<T>::product_frame() const {
  return frame_of(rows_.rows(), [](Index i) { return i; });
}

template <class T>
ProductRows RowDistance<T>::product_rows(const ProductFrame& frame, Index begin,
                                         Index count) const {
  return framed(frame, count, [=](Index i) { return begin + i; });
}

template <class T>
ProductRows RowDistance<T>::product_rows(const ProductFrame& frame,
                                         std::span<const std::int32_t> these) const {
  return framed(frame, std::ssize(these),
                [&](Index i) { return static_cast<Index>(these[static_cast<std::size_t>(i)]); });
}

template <class T>
ProductRows RowDistance<T>::product_rows(std::span<const std::int32_t> these) const {
  const auto at = [&](Index i) { return static_cast<Index>(these[static_cast<std::size_t>(i)]); };
  return framed(frame_of(std::ssize(these), at), std::ssize(these), at);
}

template <class T>
bool RowDistance<T>::is_same(Index i, Index j) const {
  return std::equal(row(i), row(i) + rows_.cols(), row(j));
}

template <class T>
double RowDistance<T>::chord(double distance) const {
  return metric_ == Metric::cosine ? std::sqrt(2.0 * distance) : distance;
}

template <class T>
double RowDistance<T>::farthest(double one, double other) const {
  // Of the rounding to float32, and of cosines to 2^-53 or so.
  const double slack = metric_ == Metric::cosine ? 1e-7 : 0.0;
  return (chord(one) + chord(other)) * (1.0 + 1e-6) + slack;
}

template class RowDistance<float>;
template class RowDistance<double>;

}  // namespace tyto
