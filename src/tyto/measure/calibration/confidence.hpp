// SPDX-License-Identifier: Apache-2.0
// Measures of the predicted class's confidence. What they leave open (which bins, which edges) is
// in their names, and those are the keys of `tyto measure --calibration --json`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tyto/measure/calibration/scored_samples.hpp"
#include "tyto/measure/intervals/bootstrap.hpp"

namespace tyto {

using NamedValues = std::vector<std::pair<std::string, std::optional<double>>>;

struct ConfidenceOptions {
  std::vector<Index> bins{10, 15, 20};  // of equal width, for ece, mce, ace_nonempty_bins, rmsce
  BinRule rule = BinRule::right_closed;
};

// Greatest |mean of (correct - confidence)| over the samples up to any confidence. Samples of the
// same confidence stand or fall together.
double ks_error(const ScoredSamples& sorted);

// sqrt of sum_b n_b / N [gap^2 - acc (1 - acc) / (n_b - 1)] over `bins` equal runs, at least 0: the
// square of the gap less what chance adds to it (Kumar et al. 2019). Bins with one sample count 0.
double debiased_l2(const ScoredSamples& sorted, Index bins);

// Maximum mean calibration error with the kernel exp(-|c - c'| / width) (Kumar et al. 2018). O(n).
double mmce(const ScoredSamples& sorted, double width);

// Chance that a correct sample is more confident than a wrong one, ties half; missing if all are
// correct or none is.
std::optional<double> failure_auroc(const ScoredSamples& sorted);

// Mean over k of the share of errors among the k most confident; equals in their order.
double aurc(const ScoredSamples& samples);

// All of them: n, accuracy, mean_confidence, nll, brier_sum, ..., aurc. Missing where not defined;
// nll is infinite where a true class was called impossible. Without samples all but n are missing.
NamedValues confidence_measures(const ScoredSamples& samples, const ConfidenceOptions& options);

// Percentile intervals of these, by resampling samples, in the same order; parallel over
// replicates, the same at any number of threads.
std::vector<Interval> confidence_intervals(const ScoredSamples& samples,
                                           const ConfidenceOptions& options,
                                           const BootstrapOptions& bootstrap, Progress& progress);

}  // namespace tyto
