// SPDX-License-Identifier: Apache-2.0
// What measures of confidence need of each sample: made in one pass over a table of logits, and
// joined where a table comes in parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tyto/math/reliability_bins.hpp"
#include "tyto/math/score_rows.hpp"

namespace tyto {

struct ScoredSamples {
  std::vector<double> confidence;  // highest probability
  std::vector<double> loss;        // -log of the true class's, in nats; infinite if impossible
  std::vector<double> brier;       // sum over classes of (p - 1[true])^2, in [0, 2]
  std::vector<double> log_sum;     // log of the sum of exp(logit)
  std::vector<std::uint8_t> correct;
  std::vector<Index> predicted, truth;  // columns; the first of equal scores is predicted

  [[nodiscard]] Index size() const { return std::ssize(confidence); }

  [[nodiscard]] ScoredSamples pick(Rows rows) const;
  void append(const ScoredSamples& more);
};

// Throws as expect_scores and expect_truth do. O(n k), parallel.
ScoredSamples score_samples(const Scores& logits, std::span<const Index> truth);

// Rows by confidence, the least first, equals in their order.
std::vector<Index> by_confidence(const ScoredSamples& samples);

ReliabilityBins confidence_bins(const ScoredSamples& samples, Index bins,
                                BinRule rule = BinRule::right_closed);

// Of rows sorted by confidence: as many in each bin as in the next, the first ones one more where
// that does not come out even (numpy.array_split). Bins may be empty with fewer samples than bins.
std::vector<ReliabilityBin> equal_runs(const ScoredSamples& sorted, Index bins);

// Edges at the quantiles i / bins of the confidence, the ends 0 and 1, left-closed (netcal).
std::vector<ReliabilityBin> quantile_bins(const ScoredSamples& sorted, Index bins);

}  // namespace tyto
