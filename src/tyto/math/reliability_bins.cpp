// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/reliability_bins.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/named.hpp"

namespace tyto {

namespace {

double total(BinSpan bins) {
  double sum = 0.0;
  for (const ReliabilityBin& bin : bins) {
    sum += static_cast<double>(bin.count);
  }
  return sum;
}

}  // namespace

BinRule bin_rule(std::string_view name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::size(kBinRules); ++i) {
    if (kBinRules[i] == name) {
      return static_cast<BinRule>(i);
    }
    names.emplace_back(kBinRules[i]);
  }
  throw unknown_name("rule for bins", name, names);
}

double ReliabilityBin::gap() const {
  return count == 0 ? 0.0 : (confidence - correct) / static_cast<double>(count);
}

double expected_gap(BinSpan bins) {
  double sum = 0.0;
  for (const ReliabilityBin& bin : bins) {
    sum += std::abs(bin.confidence - bin.correct);
  }
  const double all = total(bins);
  return all > 0.0 ? sum / all : 0.0;
}

double greatest_gap(BinSpan bins) {
  double most = 0.0;
  for (const ReliabilityBin& bin : bins) {
    most = std::max(most, std::abs(bin.gap()));
  }
  return most;
}

double mean_gap(BinSpan bins) {
  double sum = 0.0;
  double filled = 0.0;
  for (const ReliabilityBin& bin : bins) {
    sum += std::abs(bin.gap());
    filled += bin.count > 0 ? 1.0 : 0.0;
  }
  return filled > 0.0 ? sum / filled : 0.0;
}

double rms_gap(BinSpan bins) {
  double sum = 0.0;
  for (const ReliabilityBin& bin : bins) {
    sum += static_cast<double>(bin.count) * bin.gap() * bin.gap();
  }
  const double all = total(bins);
  return all > 0.0 ? std::sqrt(sum / all) : 0.0;
}

ReliabilityBins::ReliabilityBins(Index bins, BinRule rule) : asked_(bins), rule_(rule) {
  if (bins < 1) {
    throw Error(ErrorKind::config, fmt::format("{} bins: one or more are needed", bins));
  }
  bins_.resize(static_cast<std::size_t>(bins + (rule == BinRule::extra_for_one ? 1 : 0)));
  const bool linspace =
      rule == BinRule::right_closed_linspace || rule == BinRule::left_closed_linspace;
  const auto count = static_cast<double>(bins);
  for (Index i = 0; i < bins; ++i) {
    const auto place = static_cast<double>(i);
    edges_.push_back(linspace ? place * (1.0 / count) : place / count);
  }
  edges_.resize(bins_.size() + 1, 1.0);
}

Index ReliabilityBins::index_of(double confidence) const {
  TYTO_ASSERT(!std::isnan(confidence));
  const double value = std::clamp(confidence, 0.0, 1.0);
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  const bool right = rule_ == BinRule::right_closed || rule_ == BinRule::right_closed_linspace;
  auto guess = std::min(asked_ - 1, static_cast<Index>(value * static_cast<double>(asked_)));
  if (right) {
    while (guess > 0 && value <= edges_[at(guess)]) {
      --guess;
    }
    while (guess + 1 < asked_ && value > edges_[at(guess + 1)]) {
      ++guess;
    }
    return guess;
  }
  if (rule_ == BinRule::extra_for_one && value >= 1.0) {
    return asked_;
  }
  while (guess > 0 && value < edges_[at(guess)]) {
    --guess;
  }
  while (guess + 1 < asked_ && value >= edges_[at(guess + 1)]) {
    ++guess;
  }
  return guess;
}

void ReliabilityBins::merge(const ReliabilityBins& other) {
  if (other.asked_ != asked_ || other.rule_ != rule_) {
    throw Error(ErrorKind::state,
                fmt::format("{} {} bins cannot be added to {} {} ones", other.asked_,
                            kBinRules[static_cast<std::size_t>(other.rule_)], asked_,
                            kBinRules[static_cast<std::size_t>(rule_)]));
  }
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    bins_[b].count += other.bins_[b].count;
    bins_[b].confidence += other.bins_[b].confidence;
    bins_[b].correct += other.bins_[b].correct;
  }
}

void ReliabilityBins::save(State& state) const {
  state.set("rule", std::string(kBinRules[static_cast<std::size_t>(rule_)]));
  Dense<double> sums(std::ssize(bins_), 3);
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    sums.row(static_cast<Index>(b)) << static_cast<double>(bins_[b].count), bins_[b].confidence,
        bins_[b].correct;
  }
  state.set("sums", std::move(sums));
}

ReliabilityBins ReliabilityBins::loaded(const State& state) {
  const auto& sums = state.get<Dense<double>>("sums");
  const BinRule rule = bin_rule(state.get<std::string>("rule"));
  ReliabilityBins out(sums.rows() - (rule == BinRule::extra_for_one ? 1 : 0), rule);
  for (std::size_t b = 0; b < out.bins_.size(); ++b) {
    const auto row = sums.row(static_cast<Index>(b));
    out.bins_[b] = {static_cast<Index>(row[0]), row[1], row[2]};
  }
  return out;
}

}  // namespace tyto
