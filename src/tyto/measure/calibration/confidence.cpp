// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/calibration/confidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr Index kRuns = 15;  // of equal mass
constexpr double kKernelWidth = 0.4;

double surplus(const ScoredSamples& samples, std::size_t i) {
  return (samples.correct[i] != 0 ? 1.0 : 0.0) - samples.confidence[i];
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// With `order` from the least confident on; ties within it from the last to the first.
double area_under_risk(const ScoredSamples& sorted) {
  double wrong = 0.0;
  double sum = 0.0;
  double taken = 0.0;
  for (std::size_t end = sorted.confidence.size(); end > 0;) {
    std::size_t begin = end;
    while (begin > 0 && sorted.confidence[begin - 1] == sorted.confidence[end - 1]) {
      --begin;
    }
    for (std::size_t i = begin; i < end; ++i) {
      wrong += sorted.correct[i] != 0 ? 0.0 : 1.0;
      taken += 1.0;
      sum += wrong / taken;
    }
    end = begin;
  }
  return sum / taken;
}

// `sorted` rather than sorting: resamples are drawn in order.
NamedValues measures_of_sorted(const ScoredSamples& sorted, const ConfidenceOptions& options) {
  NamedValues out;
  const auto n = static_cast<double>(sorted.size());
  const bool any = sorted.size() > 0;
  const auto put = [&](std::string name, auto&& value) {
    out.emplace_back(std::move(name), any ? std::optional<double>(value()) : std::nullopt);
  };
  out.emplace_back("n", n);
  put("accuracy",
      [&] { return std::accumulate(sorted.correct.begin(), sorted.correct.end(), 0.0) / n; });
  put("mean_confidence", [&] { return mean_of(sorted.confidence); });
  put("nll", [&] { return mean_of(sorted.loss); });
  put("brier_sum", [&] { return mean_of(sorted.brier); });
  for (const Index bins : options.bins) {
    const ReliabilityBins binned = confidence_bins(sorted, bins, options.rule);
    put(fmt::format("ece{}", bins), [&] { return expected_gap(binned.bins()); });
    put(fmt::format("mce{}", bins), [&] { return greatest_gap(binned.bins()); });
    put(fmt::format("ace_nonempty_bins{}", bins), [&] { return mean_gap(binned.bins()); });
    put(fmt::format("rmsce{}", bins), [&] { return rms_gap(binned.bins()); });
  }
  put("adaptive_ece15_quantile_edges", [&] { return expected_gap(quantile_bins(sorted, kRuns)); });
  put("adaptive_ece15_array_split", [&] { return expected_gap(equal_runs(sorted, kRuns)); });
  put("debiased_l2_equal_mass15", [&] { return debiased_l2(sorted, kRuns); });
  put("mmce_laplace_0.4", [&] { return mmce(sorted, kKernelWidth); });
  put("ks_error", [&] { return ks_error(sorted); });
  out.emplace_back("failure_auroc_maxprob", failure_auroc(sorted));
  put("aurc", [&] { return area_under_risk(sorted); });
  return out;
}

}  // namespace

double ks_error(const ScoredSamples& sorted) {
  double sum = 0.0;
  double most = 0.0;
  for (std::size_t i = 0; i < sorted.confidence.size(); ++i) {
    sum += surplus(sorted, i);
    const bool ends =
        i + 1 == sorted.confidence.size() || sorted.confidence[i + 1] != sorted.confidence[i];
    most = ends ? std::max(most, std::abs(sum)) : most;
  }
  return sorted.size() == 0 ? 0.0 : most / static_cast<double>(sorted.size());
}

double debiased_l2(const ScoredSamples& sorted, Index bins) {
  double sum = 0.0;
  for (const ReliabilityBin& bin : equal_runs(sorted, bins)) {
    if (bin.count < 2) {
      continue;
    }
    const auto count = static_cast<double>(bin.count);
    const double accuracy = bin.correct / count;
    sum += count * (bin.gap() * bin.gap() - accuracy * (1.0 - accuracy) / (count - 1.0));
  }
  return sorted.size() == 0 ? 0.0
                            : std::sqrt(std::max(0.0, sum / static_cast<double>(sorted.size())));
}

double mmce(const ScoredSamples& sorted, double width) {
  // Along the sorted samples the kernel is a product of steps, so that one sum holds all before.
  double before = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < sorted.confidence.size(); ++i) {
    if (i > 0) {
      before *= std::exp((sorted.confidence[i - 1] - sorted.confidence[i]) / width);
    }
    const double own = surplus(sorted, i);
    sum += own * (own + 2.0 * before);
    before += own;
  }
  return sorted.size() == 0 ? 0.0
                            : std::sqrt(std::max(0.0, sum)) / static_cast<double>(sorted.size());
}

std::optional<double> failure_auroc(const ScoredSamples& sorted) {
  double wrong = 0.0;
  double right = 0.0;
  double pairs = 0.0;
  for (std::size_t i = 0; i < sorted.confidence.size();) {
    double wrong_here = 0.0;
    double right_here = 0.0;
    const double value = sorted.confidence[i];
    for (; i < sorted.confidence.size() && sorted.confidence[i] == value; ++i) {
      (sorted.correct[i] != 0 ? right_here : wrong_here) += 1.0;
    }
    pairs += right_here * (wrong + 0.5 * wrong_here);
    wrong += wrong_here;
    right += right_here;
  }
  return wrong > 0.0 && right > 0.0 ? std::optional(pairs / (wrong * right)) : std::nullopt;
}

double aurc(const ScoredSamples& samples) {
  TYTO_ASSERT(samples.size() > 0);
  return area_under_risk(samples.pick(by_confidence(samples)));
}

NamedValues confidence_measures(const ScoredSamples& samples, const ConfidenceOptions& options) {
  return measures_of_sorted(samples.pick(by_confidence(samples)), options);
}

std::vector<Interval> confidence_intervals(const ScoredSamples& samples,
                                           const ConfidenceOptions& options,
                                           const BootstrapOptions& bootstrap, Progress& progress) {
  bootstrap.check();
  const ScoredSamples sorted = samples.pick(by_confidence(samples));
  const std::size_t columns = measures_of_sorted(sorted, options).size();
  const auto replicates = static_cast<std::size_t>(bootstrap.replicates);
  std::vector<std::vector<double>> drawn(columns, std::vector<double>(replicates));
  const Rng rng(bootstrap.seed, "bootstrap");
  for_each_replicate(bootstrap.replicates, progress, [&](Index replicate) {
    Rng own = rng.fork("replicate", static_cast<std::uint64_t>(replicate));
    std::vector<Index> times(sorted.confidence.size());
    for (Index i = 0; i < sorted.size(); ++i) {
      ++times[static_cast<std::size_t>(own.below(sorted.size()))];
    }
    std::vector<Index> rows;
    rows.reserve(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      rows.insert(rows.end(), static_cast<std::size_t>(times[i]), static_cast<Index>(i));
    }
    const NamedValues values = measures_of_sorted(sorted.pick(rows), options);
    for (std::size_t c = 0; c < columns; ++c) {
      const double value = values[c].second.value_or(std::numeric_limits<double>::quiet_NaN());
      drawn[c][static_cast<std::size_t>(replicate)] =
          std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
    }
  });
  std::vector<Interval> out;
  for (const std::vector<double>& values : drawn) {
    out.push_back(percentile_interval(values, bootstrap.level));
  }
  return out;
}

}  // namespace tyto
