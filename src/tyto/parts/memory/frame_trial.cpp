// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/memory/frame_trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace tyto {

FrameTrial::FrameTrial(std::size_t candidates, std::size_t ways)
    : means_(ways, std::vector<Eigen::RowVectorXf>(candidates)), right_(ways) {}

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
  for (std::size_t i = 0; i < held_.size(); ++i) {
    double own = std::numeric_limits<double>::infinity();
    double other = own;
    for (const auto& [label, sum] : classes) {
      const double away = (sum.first / sum.second - held_[i].mean.cast<double>()).norm();
      double& least = label == held_[i].label ? own : other;
      least = std::min(least, away);
    }
    right_[way][i] = own < other ? 1 : 0;
  }
}

std::vector<double> FrameTrial::weights() const {
  std::map<Label, double> count;
  for (const Held& one : held_) {
    ++count[one.label];
  }
  std::vector<double> weights;
  for (const Held& one : held_) {
    weights.push_back(1.0 / count.at(one.label));
  }
  return weights;
}

std::size_t FrameTrial::choice(bool last_may_stay) const {
  const std::vector<double> weight = weights();
  // How much more way `a` has right than way `b`, and the variance of that were they alike.
  const auto compare = [&](std::size_t a, std::size_t b) {
    double more = 0;
    double variance = 0;
    for (std::size_t i = 0; i < held_.size(); ++i) {
      const double difference = weight[i] * (right_[a][i] - right_[b][i]);
      more += difference;
      variance += difference * difference;
    }
    return std::pair(more, variance);
  };
  std::size_t best = 0;
  for (std::size_t way = 1; way < right_.size(); ++way) {
    best = compare(way, best).first > 0.0 ? way : best;
  }
  std::vector<std::size_t> as_good;
  for (std::size_t way = 0; way < right_.size(); ++way) {
    const auto [more, variance] = compare(best, way);
    if (more <= std::sqrt(variance)) {
      as_good.push_back(way);
    }
  }
  const std::size_t last = right_.size() - 1;
  return last_may_stay && as_good.back() == last ? last : as_good[(as_good.size() - 1) / 2];
}

}  // namespace tyto
