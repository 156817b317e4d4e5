// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/extremes/activation_tails.hpp"

#include <algorithm>
#include <functional>

namespace tyto {

namespace {

constexpr double kEuclideanShare = 1.0 / 200.0;
constexpr std::size_t kFewest = 3;

}  // namespace

double activation_distance(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b,
                           ActivationDistance kind) {
  const double euclidean = (a - b).norm();
  if (kind == ActivationDistance::euclidean) {
    return euclidean;
  }
  const double lengths = a.norm() * b.norm();
  const double cosine = lengths > 0.0 ? 1.0 - a.dot(b) / lengths : 1.0;
  return kind == ActivationDistance::cosine ? cosine : kEuclideanShare * euclidean + cosine;
}

ActivationTails::ActivationTails(Index classes, Index tail, ActivationDistance kind)
    : tail_(tail), kind_(kind), classes_(static_cast<std::size_t>(classes)) {
  for (Class& one : classes_) {
    one.sum_right = one.sum_all = Eigen::RowVectorXd::Zero(classes);
  }
}

void ActivationTails::add_to_mean(Index own, const Eigen::RowVectorXd& activations, bool right) {
  Class& one = classes_[static_cast<std::size_t>(own)];
  one.sum_all += activations;
  ++one.all;
  if (right) {
    one.sum_right += activations;
    ++one.right;
  }
}

Eigen::RowVectorXd ActivationTails::mean(const Class& one) const {
  return one.right > 0 ? Eigen::RowVectorXd(one.sum_right / static_cast<double>(one.right))
                       : Eigen::RowVectorXd(one.sum_all / static_cast<double>(one.all));
}

void ActivationTails::add_distance(Index own, const Eigen::RowVectorXd& activations, bool right) {
  Class& one = classes_[static_cast<std::size_t>(own)];
  if (!right && one.right > 0) {
    return;
  }
  auto& heap = one.furthest;
  heap.push_back(activation_distance(activations, mean(one), kind_));
  std::push_heap(heap.begin(), heap.end(), std::greater<>());
  if (static_cast<Index>(heap.size()) > tail_) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
  }
}

void ActivationTails::fit() {
  std::vector<double> pooled;
  for (const Class& one : classes_) {
    pooled.insert(pooled.end(), one.furthest.begin(), one.furthest.end());
  }
  const auto tail = static_cast<std::size_t>(tail_);
  std::optional<TailFit> of_all;
  if (pooled.size() >= kFewest) {
    of_all = fit_high(pooled, tail);
  }
  for (Class& one : classes_) {
    if (one.all == 0) {
      continue;
    }
    const bool enough = one.furthest.size() >= std::min(kFewest, tail);
    one.fit = enough ? fit_high(one.furthest, tail) : of_all;
    one.furthest.clear();
  }
}

Eigen::RowVectorXd ActivationTails::outlier(const Eigen::RowVectorXd& activations) const {
  Eigen::RowVectorXd out = Eigen::RowVectorXd::Zero(static_cast<Index>(classes_.size()));
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    if (classes_[c].fit) {
      const double distance = activation_distance(activations, mean(classes_[c]), kind_);
      out[static_cast<Index>(c)] = classes_[c].fit->w_score(distance);
    }
  }
  return out;
}

void ActivationTails::save(State& state) const {
  const auto k = static_cast<Index>(classes_.size());
  Dense<double> means = Dense<double>::Zero(k, k);
  Dense<double> fits = Dense<double>::Zero(k, 4);
  for (Index c = 0; c < k; ++c) {
    const Class& one = classes_[static_cast<std::size_t>(c)];
    if (one.fit) {
      means.row(c) = mean(one);
      fits.row(c) << 1.0, one.fit->weibull.scale, one.fit->weibull.shape, one.fit->small_score;
    }
  }
  state.set("means", std::move(means));
  state.set("fits", std::move(fits));
}

void ActivationTails::load(const State& state) {
  const auto& means = state.get<Dense<double>>("means");
  const auto& fits = state.get<Dense<double>>("fits");
  classes_.assign(static_cast<std::size_t>(means.rows()), {});
  for (Index c = 0; c < means.rows(); ++c) {
    Class& one = classes_[static_cast<std::size_t>(c)];
    if (fits(c, 0) > 0.0) {
      one.sum_right = means.row(c);
      one.right = one.all = 1;
      one.fit = TailFit{{fits(c, 1), fits(c, 2)}, 1.0, fits(c, 3)};
    }
  }
}

}  // namespace tyto
