// SPDX-License-Identifier: Apache-2.0
// Confidence against outcome by bins of confidence. Sums only, so bins of parts of the data add up.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

// Which bin owns an edge. Edges are i / bins, exactly; `linspace` ones i * (1 / bins), as NumPy
// makes them. Right-closed: (low, high], 0 in the first. Left-closed: [low, high), 1 in the last;
// extra_for_one puts 1 in a bin of its own, as torchmetrics does.
enum class BinRule {
  right_closed,
  left_closed,
  right_closed_linspace,
  left_closed_linspace,
  extra_for_one
};

constexpr std::string_view kBinRules[] = {"right_closed", "left_closed", "right_closed_linspace",
                                          "left_closed_linspace", "extra_for_one"};

BinRule bin_rule(std::string_view name);  // throws Error(config) with the likeliest spelling

struct ReliabilityBin {
  Index count = 0;
  double confidence = 0, correct = 0;  // sums

  void add(double value, bool is_correct) {
    ++count;
    confidence += value;
    correct += is_correct ? 1.0 : 0.0;
  }

  // Mean confidence less accuracy; 0 for an empty bin.
  [[nodiscard]] double gap() const;
};

using BinSpan = std::span<const ReliabilityBin>;

// With n_b of N samples in bin b. All are 0 without samples; empty bins never count.
double expected_gap(BinSpan bins);  // ECE: sum n_b / N |gap|
double greatest_gap(BinSpan bins);  // MCE
double mean_gap(BinSpan bins);      // mean of |gap| over the bins with samples (netcal's ACE)
double rms_gap(BinSpan bins);       // sqrt(sum n_b / N gap^2)

class ReliabilityBins {
 public:
  explicit ReliabilityBins(Index bins = 10, BinRule rule = BinRule::right_closed);

  // In [0, 1]; a rounding beyond is taken for the end.
  [[nodiscard]] Index index_of(double confidence) const;

  void add(double confidence, bool is_correct) {
    bins_[static_cast<std::size_t>(index_of(confidence))].add(confidence, is_correct);
  }

  void merge(const ReliabilityBins& other);  // throws Error(state) for other bins or edges

  [[nodiscard]] BinSpan bins() const { return bins_; }

  // Lower end of bin i.
  [[nodiscard]] double edge(Index i) const { return edges_.at(static_cast<std::size_t>(i)); }

  [[nodiscard]] double ece() const { return expected_gap(bins_); }

  void save(State& state) const;
  static ReliabilityBins loaded(const State& state);

 private:
  Index asked_;  // without the extra one
  BinRule rule_;
  std::vector<ReliabilityBin> bins_;
  std::vector<double> edges_;  // one more than bins
};

}  // namespace tyto
