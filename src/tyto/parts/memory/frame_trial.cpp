// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/memory/frame_trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tyto {

FrameTrial::FrameTrial(std::size_t candidates, std::size_t ways)
    : means_(ways, std::vector<Eigen::RowVectorXf>(candidates)), right_(ways), margin_(ways, 0.0) {}

void FrameTrial::add(std::size_t way, std::size_t place, const Eigen::RowVectorXd& mean) {
  means_[way][place] = mean.cast<float>();
}

void FrameTrial::add_held(Label label, const Eigen::RowVectorXd& mean) {
  held_.push_back({label, mean.cast<float>()});
}

bool FrameTrial::can_tell(const std::vector<Candidate>& offered) const {
  std::set<Label> fitted;
  for (std::size_t i = 0; i < offered.size(); ++i) {
    if (means_.front()[i].size() > 0) {
      fitted.insert(offered[i].label);
    }
  }
  return fitted.size() > 1 && !held_.empty();
}

void FrameTrial::score(std::size_t way, const std::vector<Candidate>& offered,
                       const std::vector<std::size_t>& kept) {
  std::map<Label, std::pair<Eigen::RowVectorXd, double>> classes;
  for (const std::size_t place : kept) {
    const Eigen::RowVectorXf& mean = means_[way][place];
    if (mean.size() == 0) {
      continue;
    }
    auto& [sum, count] = classes[offered[place].label];
    sum = count == 0.0 ? mean.cast<double>().eval() : (sum + mean.cast<double>()).eval();
    ++count;
  }
  right_[way].assign(held_.size(), 0);
  margin_[way] = 0.0;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    double own = std::numeric_limits<double>::infinity();
    double other = own;
    for (const auto& [label, sum] : classes) {
      const double away = (sum.first / sum.second - held_[i].mean.cast<double>()).norm();
      double& least = label == held_[i].label ? own : other;
      least = std::min(least, away);
    }
    right_[way][i] = own < other ? 1 : 0;
    if (std::isinf(own) || std::isinf(other)) {  // its class is lost, or alone left
      margin_[way] += std::isinf(own) ? -1.0 : 1.0;
    } else if (own + other > 0.0) {
      margin_[way] += (other - own) / (own + other);
    }
  }
}

std::size_t FrameTrial::best() const {
  const auto count = [&](std::size_t way) {
    return std::count(right_[way].begin(), right_[way].end(), 1);
  };
  std::size_t best = 0;
  for (std::size_t way = 1; way < right_.size(); ++way) {
    if (std::pair(count(way), margin_[way]) > std::pair(count(best), margin_[best])) {
      best = way;
    }
  }
  return best;
}

std::size_t FrameTrial::better_than_last() const {
  const std::size_t last = right_.size() - 1;
  const std::size_t other = best();
  double won = 0;
  double lost = 0;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    won += right_[other][i] > right_[last][i] ? 1 : 0;
    lost += right_[other][i] < right_[last][i] ? 1 : 0;
  }
  return won - lost > std::sqrt(won + lost) ? other : last;
}

}  // namespace tyto
