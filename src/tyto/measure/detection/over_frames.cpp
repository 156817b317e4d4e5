// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/detection/over_frames.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"

namespace tyto {

namespace {

// Bets that a p-value is at most b, at a share a of the capital: f(p) = 1 - a + (a / b) [p <= b],
// whose mean over uniform p is 1.
constexpr std::array<double, 5> kBetsBelow{0.005, 0.02, 0.05, 0.1, 0.25};
constexpr std::array<double, 2> kBetShares{0.1, 0.35};
constexpr std::size_t kFrameBets = kBetsBelow.size() * kBetShares.size();

}  // namespace

OverFrames over_frames(std::string_view name) {
  const auto found = std::find(kOverFrames.begin(), kOverFrames.end(), name);
  if (found == kOverFrames.end()) {
    const std::vector<std::string> names(kOverFrames.begin(), kOverFrames.end());
    throw unknown_name("evidence over frames", name, names);
  }
  return static_cast<OverFrames>(found - kOverFrames.begin());
}

FrameEvidence::FrameEvidence(const OverFramesOptions& options, std::span<const double> normal)
    : options_(options) {
  if (options.window < 1) {
    throw Error(ErrorKind::config,
                fmt::format("a running mean over {} frames is none", options.window));
  }
  if (options.how == OverFrames::cusum) {
    double sum = 0.0;
    for (const double score : normal) {
      sum += score;
    }
    mean_ = normal.empty() ? 0.0 : sum / static_cast<double>(normal.size());
    double squares = 0.0;
    for (const double score : normal) {
      squares += (score - mean_) * (score - mean_);
    }
    deviation_ = normal.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(normal.size()));
    if (!(deviation_ > 0.0) || !std::isfinite(deviation_)) {
      throw Error(ErrorKind::data,
                  fmt::format("cusum counts deviations from normal frames, but {} normal frames "
                              "have a deviation of {}",
                              normal.size(), deviation_));
    }
  }
  if (options.how == OverFrames::martingale) {
    if (normal.empty()) {
      throw Error(ErrorKind::data,
                  "a martingale ranks frames among normal ones, but there is none");
    }
    normal_.assign(normal.begin(), normal.end());
    std::sort(normal_.begin(), normal_.end());
  }
}

std::vector<double> FrameEvidence::of(std::span<const double> score) const {
  switch (options_.how) {
    case OverFrames::maximum: break;
    case OverFrames::running_mean: return running_mean(score);
    case OverFrames::cusum: return cusum(score);
    case OverFrames::martingale: return martingale(score);
  }
  return {score.begin(), score.end()};
}

// Summed anew for each frame: a running sum would carry roundings on, and no two equal windows
// would have equal means.
std::vector<double> FrameEvidence::running_mean(std::span<const double> score) const {
  std::vector<double> out;
  const auto window = static_cast<std::size_t>(options_.window);
  for (std::size_t t = 0; t < score.size(); ++t) {
    const std::size_t begin = t + 1 > window ? t + 1 - window : 0;
    double sum = 0.0;
    for (std::size_t i = begin; i <= t; ++i) {
      sum += score[i];
    }
    out.push_back(sum / static_cast<double>(t + 1 - begin));
  }
  return out;
}

std::vector<double> FrameEvidence::cusum(std::span<const double> score) const {
  std::vector<double> out;
  double sum = 0.0;
  for (const double s : score) {
    sum = std::max(0.0, sum + (s - mean_) / deviation_ - options_.drift);
    out.push_back(sum);
  }
  return out;
}

// Frame t is ranked among the normal frames and those of the episode before it, so that the
// p-values of exchangeable frames are independent. By Ville the capital of an episode of such
// frames ever reaches c with chance 1 / c at most: ln 100 is reached by 1 in 100.
std::vector<double> FrameEvidence::martingale(std::span<const double> score) const {
  std::vector<double> out;
  std::vector<double> before;
  std::array<double, kFrameBets> log_capital{};
  for (const double s : score) {
    const auto above = [&](const std::vector<double>& sorted) {
      return sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), s);
    };
    const double p = static_cast<double>(1 + above(normal_) + above(before)) /
                     static_cast<double>(1 + normal_.size() + before.size());
    before.insert(std::lower_bound(before.begin(), before.end(), s), s);
    double most = 0.0;
    for (std::size_t k = 0; k < kFrameBets; ++k) {
      const double b = kBetsBelow[k / kBetShares.size()];
      const double a = kBetShares[k % kBetShares.size()];
      log_capital[k] += std::log(1.0 - a + (p <= b ? a / b : 0.0));
      most = k == 0 ? log_capital[k] : std::max(most, log_capital[k]);
    }
    double sum = 0.0;
    for (const double capital : log_capital) {
      sum += std::exp(capital - most);
    }
    out.push_back(most + std::log(sum / static_cast<double>(kFrameBets)));
  }
  return out;
}

}  // namespace tyto
