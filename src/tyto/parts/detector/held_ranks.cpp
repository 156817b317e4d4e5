// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/held_ranks.hpp"

#include <algorithm>
#include <cmath>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr Index kShortestTail = 2;
constexpr double kFurthest = 1e6;  // widths: keeps what follows finite where the width is 0

}  // namespace

HeldRanks::HeldRanks(std::vector<float> held, Index tail, double shape)
    : held_(std::move(held)), shape_(shape) {
  std::sort(held_.begin(), held_.end());
  const Index m = std::min(tail, size() - 1);
  if (m < kShortestTail) {
    return;
  }
  double harmonic = 0.0;
  for (Index i = 1; i <= m; ++i) {
    harmonic += 1.0 / static_cast<double>(i);
  }
  const auto from_top = [&](Index rank) {
    return static_cast<double>(held_[static_cast<std::size_t>(size() - 1 - rank)]);
  };
  width_new_ = (from_top(0) - from_top(m)) / harmonic;
  width_held_ = (from_top(1) - from_top(m)) / harmonic;
}

Index HeldRanks::at_least(float score) const {
  return held_.end() - std::lower_bound(held_.begin(), held_.end(), score);
}

double HeldRanks::beyond(double excess, double width) const {
  if (!(width >= 0.0) || !(excess > 0.0)) {
    return 0.0;
  }
  const double e = width > 0.0 ? std::min(excess / width, kFurthest) : kFurthest;
  return shape_ > 0.0 ? std::log1p(shape_ * e) / shape_ : e;
}

double HeldRanks::log_p_new(float score) const {
  const Index above = at_least(score);
  const double p = std::log(static_cast<double>(1 + above) / static_cast<double>(size() + 1));
  return above > 0 || held_.empty()
             ? p
             : p - beyond(static_cast<double>(score) - held_.back(), width_new_);
}

double HeldRanks::log_p_held(float score) const {
  const Index above = at_least(score);
  TYTO_ASSERT(above > 0);
  const double p = std::log(static_cast<double>(above) / static_cast<double>(size() + 1));
  if (above > 1 || size() < 2) {
    return p;
  }
  return p - beyond(static_cast<double>(score) - held_[held_.size() - 2], width_held_);
}

}  // namespace tyto
