// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/lbfgs.hpp"

#include <cmath>
#include <deque>
#include <limits>

namespace tyto {

namespace {

struct Pair {  // how x and the gradient moved
  Eigen::VectorXd x, gradient;
  double product;
};

Eigen::VectorXd direction(const std::deque<Pair>& pairs, const Eigen::VectorXd& gradient) {
  Eigen::VectorXd out = -gradient;
  std::vector<double> alpha(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    alpha[i] = pairs[i].x.dot(out) / pairs[i].product;
    out -= alpha[i] * pairs[i].gradient;
  }
  if (!pairs.empty()) {
    out *= pairs.back().product / pairs.back().gradient.squaredNorm();
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    out += (alpha[i] - pairs[i].gradient.dot(out) / pairs[i].product) * pairs[i].x;
  }
  return out;
}

struct Point {
  Eigen::VectorXd x, gradient;
  double value;
};

// A step that descends enough and flattens the slope enough (Wolfe), by doubling and bisection.
// False: rounding leaves none.
bool search(const SmoothFunction& function, const Point& from, const Eigen::VectorXd& along,
            double step, Point& to, Index& calls) {
  constexpr double kDescent = 1e-4;
  constexpr double kFlatter = 0.9;
  constexpr int kTries = 60;
  const double slope = from.gradient.dot(along);
  double low = 0.0;
  double high = std::numeric_limits<double>::infinity();
  bool found = false;
  // Near the least value differences drown in rounding: then a flatter slope is enough.
  const double rounding = 1e-14 * std::max(1.0, std::abs(from.value));
  for (int attempt = 0; attempt < kTries; ++attempt) {
    to.x = from.x + step * along;
    to.value = function(to.x, to.gradient);
    ++calls;
    const double slope_there = to.gradient.dot(along);
    const bool descends = to.value <= from.value + kDescent * step * slope ||
                          (to.value <= from.value + rounding && std::abs(slope_there) < -slope);
    if (!std::isfinite(to.value) || !descends) {
      high = step;
    } else if (slope_there < kFlatter * slope) {
      low = step;
      found = true;
    } else {
      return true;
    }
    step = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * step;
    if (high - low < 1e-16 * high) {
      break;
    }
  }
  return found && std::isfinite(to.value) && to.value <= from.value;
}

}  // namespace

LbfgsResult minimise(const SmoothFunction& function, Eigen::VectorXd start,
                     const LbfgsOptions& options) {
  Point here{std::move(start), {}, 0.0};
  here.gradient = Eigen::VectorXd::Zero(here.x.size());
  LbfgsResult out;
  here.value = function(here.x, here.gradient);
  out.calls = 1;
  std::deque<Pair> pairs;
  Point next{here.x, here.gradient, 0.0};
  while (out.rounds < options.rounds && here.x.size() > 0 &&
         here.gradient.cwiseAbs().maxCoeff() > options.tolerance) {
    Eigen::VectorXd along = direction(pairs, here.gradient);
    if (!(here.gradient.dot(along) < 0.0)) {
      pairs.clear();
      along = -here.gradient;
    }
    const double first = pairs.empty() ? std::min(1.0, 1.0 / here.gradient.norm()) : 1.0;
    if (!search(function, here, along, first, next, out.calls)) {
      if (pairs.empty()) {
        break;
      }
      pairs.clear();  // once more, straight downhill
      continue;
    }
    ++out.rounds;
    Pair moved{next.x - here.x, next.gradient - here.gradient, 0.0};
    moved.product = moved.x.dot(moved.gradient);
    if (moved.product > 1e-16 * moved.x.norm() * moved.gradient.norm()) {
      pairs.push_back(std::move(moved));
      if (std::ssize(pairs) > options.memory) {
        pairs.pop_front();
      }
    }
    std::swap(here, next);
  }
  out.slope = here.x.size() > 0 ? here.gradient.cwiseAbs().maxCoeff() : 0.0;
  out.x = std::move(here.x);
  out.value = here.value;
  return out;
}

}  // namespace tyto
