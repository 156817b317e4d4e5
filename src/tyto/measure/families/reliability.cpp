// SPDX-License-Identifier: Apache-2.0
// Does a confidence of 90 % mean right nine times of ten? Of the samples of classes the predictor
// knows, given that they are known.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tyto/measure/calibration/confidence.hpp"
#include "tyto/measure/registry.hpp"

namespace tyto {

namespace {

constexpr Index kBins = 10;  // of equal width, as in the reliability benchmark of CARING
constexpr Index kRuns = 15;  // of equal mass

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

using Value = std::function<std::optional<double>(const ScoredSamples& sorted)>;

MeasureSpec spec(std::string name, Better better, std::string summary, std::string formula,
                 Value value, std::vector<std::string> also_called = {}) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .formula = std::move(formula) +
                     "; of samples of known classes, probabilities given that they are known; "
                     "missing if the record has none",
          .positive_class = "",
          .better = better,
          .over_steps = OverSteps::mean,
          .views = {View::classification},
          .value =
              [value = std::move(value)](const PhaseView& view, View) {
                const std::optional<double> found =
                    view.sure().size() == 0 ? std::nullopt : value(view.sure());
                return found && std::isfinite(*found) ? found : std::nullopt;
              },
          .also_called = std::move(also_called)};
}

// Mean of a column over the samples of known classes, where answers came with sets.
std::optional<double> mean_known(const GivenKnown& given, const std::vector<float>& column) {
  double sum = 0.0;
  Index count = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (!std::isnan(given.log_true[i])) {
      sum += static_cast<double>(column[i]);
      ++count;
    }
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

using OfSets = std::function<std::optional<double>(const GivenKnown&)>;

MeasureSpec set_spec(std::string name, Better better, std::string summary, std::string formula,
                     OfSets value) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .formula = std::move(formula) + "; missing if the predictor gives no sets",
          .positive_class = "",
          .better = better,
          .over_steps = OverSteps::mean,
          .views = {View::classification},
          .value = [value = std::move(value)](const PhaseView& view, View) {
            return value(view.given_known);
          }};
}

std::vector<MeasureSpec> set_measures() {
  return {
      set_spec("set_coverage", Better::higher,
               "Share of the samples of known classes whose class is in the set beside the answer; "
               "to be compared with set_promised.",
               "mean of 1[true class in the set] over samples of known classes",
               [](const GivenKnown& given) { return mean_known(given, given.in_set); }),
      set_spec("set_promised", Better::neither, "The coverage that was promised.", "1 - error",
               [](const GivenKnown& given) {
                 return given.in_set.empty() ? std::nullopt : std::optional(given.set_promise);
               }),
      set_spec("set_size", Better::lower, "How many classes a set has, on the mean.",
               "mean number of classes over samples of known classes",
               [](const GivenKnown& given) { return mean_known(given, given.set_size); }),
  };
}

}  // namespace

std::vector<MeasureSpec> reliability_measures() {
  std::vector<MeasureSpec> all = {
      spec("ece10", Better::lower,
           "How far confidence is from accuracy: the mean gap between them over ten bins of "
           "confidence. Biased upwards on few samples: read it beside nll and brier_sum.",
           "sum over bins ((i - 1) / 10, i / 10] of n_b / N |mean confidence - accuracy|",
           [](const ScoredSamples& s) {
             return std::optional(expected_gap(confidence_bins(s, kBins).bins()));
           },
           {"ece"}),
      spec("mce10", Better::lower, "The greatest of these gaps; a bin of few samples decides it.",
           "max over bins with samples of |mean confidence - accuracy|",
           [](const ScoredSamples& s) {
             return std::optional(greatest_gap(confidence_bins(s, kBins).bins()));
           },
           {"mce"}),
      spec("adaptive_ece15_array_split", Better::lower,
           "The mean gap over fifteen bins that hold as many samples each.",
           "sum over runs of equal count of n_b / N |mean confidence - accuracy|",
           [](const ScoredSamples& s) { return std::optional(expected_gap(equal_runs(s, kRuns))); },
           {"adaptive_ece"}),
      spec("debiased_l2_equal_mass15", Better::lower,
           "The root of the mean squared gap, less what chance alone adds to it.",
           "sqrt(max(0, sum over runs of equal count of n_b / N (gap^2 - acc (1 - acc) / (n_b - "
           "1))))",
           [](const ScoredSamples& s) { return std::optional(debiased_l2(s, kRuns)); },
           {"debiased_l2"}),
      spec("ks_error", Better::lower,
           "The greatest mean surplus of confidence up to any confidence; has no bins.",
           "max over c of |sum of (correct - confidence) over samples with confidence <= c| / N",
           [](const ScoredSamples& s) { return std::optional(ks_error(s)); }),
      spec("nll", Better::lower,
           "What an answer costs when paid by the logarithm of the true class's probability, in "
           "nats: a proper score, so that it cannot be gamed.",
           "mean of -ln p(true class); missing if a true class was called impossible",
           [](const ScoredSamples& s) { return std::optional(mean_of(s.loss)); },
           {"log_loss", "cross_entropy"}),
      spec("brier_sum", Better::lower,
           "Mean squared distance of the probabilities from the truth, 0 to 2: a proper score.",
           "mean of sum over classes of (p - 1[true class])^2",
           [](const ScoredSamples& s) { return std::optional(mean_of(s.brier)); }, {"brier"}),
      spec("mean_confidence", Better::neither, "Mean probability of the likeliest known class.",
           "mean of max p",
           [](const ScoredSamples& s) { return std::optional(mean_of(s.confidence)); }),
      spec("failure_auroc_maxprob", Better::higher,
           "Chance that a right answer is surer than a wrong one: does confidence tell which "
           "answers to trust?",
           "(pairs in order + tied pairs / 2) / pairs of a right and a wrong answer; missing if "
           "there are none of either",
           [](const ScoredSamples& s) { return failure_auroc(s); }, {"failure_auroc"}),
      spec("aurc", Better::lower,
           "Mean share of errors among the surest samples, over how many are answered.",
           "mean over k of the share of errors among the k most confident",
           [](const ScoredSamples& s) { return std::optional(aurc(s)); }),
  };
  for (MeasureSpec& set : set_measures()) {
    all.push_back(std::move(set));
  }
  return all;
}

}  // namespace tyto
