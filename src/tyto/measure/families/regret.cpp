// SPDX-License-Identifier: Apache-2.0
// What is lost, in each of the three spaces of novelty: against the truth, with the best possible
// answer to what was observed, and as the predictor itself expects.
#include <cmath>
#include <numeric>

#include "tyto/measure/formulas/scores.hpp"
#include "tyto/measure/registry.hpp"

namespace tyto {

namespace {

// Of all of them, none missing.
std::optional<double> whole_mean(const std::vector<float>& values) {
  if (values.empty()) {
    return std::nullopt;
  }
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return std::isnan(sum) ? std::nullopt : std::optional(sum / static_cast<double>(values.size()));
}

std::optional<double> mean_of_told(const std::vector<float>& values) {
  double sum = 0;
  Index count = 0;
  for (const float value : values) {
    if (!std::isnan(value)) {
      sum += static_cast<double>(value);
      ++count;
    }
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

std::optional<double> observation_regret(const PhaseView& p, View view) {
  if (view == View::raw) {
    return whole_mean(p.observed.least_error);
  }
  // The world tells it of the classes it has shown, which are known to the evaluator.
  return p.novel_to == NovelTo::evaluator ? whole_mean(p.observed.least_error_unknown)
                                          : std::nullopt;
}

std::optional<double> expected_error(const PhaseView& p) {
  const std::optional<double> sure = whole_mean(p.confidence);
  return sure ? std::optional(1.0 - *sure) : std::nullopt;
}

using OfConfusion = std::optional<double> (*)(const Confusion&);

MeasureSpec world_regret(std::string name, std::string inverts, OfConfusion value,
                         std::vector<View> views, std::string summary) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .formula = "1 - " + std::move(inverts),
          .positive_class = "",
          .better = Better::lower,
          .over_steps = OverSteps::sum,
          .views = std::move(views),
          .value = [value](const PhaseView& p, View view) -> std::optional<double> {
            const std::optional<double> good = value(p.views.of(view));
            return good ? std::optional(1.0 - *good) : std::nullopt;
          }};
}

}  // namespace

std::vector<MeasureSpec> regret_measures() {
  const std::vector<View> named = {View::raw, View::classification, View::detection};
  return {
      world_regret("world_regret", "accuracy", accuracy, named,
                   "Regret of the world: share of the answers that are wrong."),
      world_regret("world_regret_mcc", "mcc", mcc, named,
                   "Regret of the world by Matthews correlation: 0 none, 1 as by chance."),
      world_regret(
          "world_regret_nmi", "nmi", [](const Confusion& m) { return nmi(m); }, named,
          "Regret of the world by information: the share that the answers do not tell."),
      {.name = "observation_regret",
       .summary = "Regret of the observation: the share of wrong answers of the best possible "
                  "predictor, which knows how the samples were made. Simulated worlds tell it, of "
                  "samples that are not altered.",
       .formula = "mean of 1 - max_k P(k | x); raw: over all classes of the split, by name; "
                  "classification: classes not shown before are one, to be called unknown",
       .positive_class = "",
       .better = Better::neither,
       .over_steps = OverSteps::mean,
       .views = {View::raw, View::classification},
       .value = observation_regret},
      {.name = "predictor_regret",
       .summary = "Regret of the predictor: the share of wrong answers that it expects itself.",
       .formula = "mean of 1 - p; p the probability that it gives its decision",
       .positive_class = "",
       .better = Better::neither,
       .over_steps = OverSteps::mean,
       .views = {View::raw},
       .value = [](const PhaseView& p, View) { return expected_error(p); }},
      {.name = "observation_dissimilarity",
       .summary = "How unlike anything observed at earlier steps the samples are, where the world "
                  "tells it.",
       .formula = "mean distance to the nearest observation of an earlier step, Euclidean or "
                  "1 - cosine",
       .positive_class = "",
       .better = Better::neither,
       .over_steps = OverSteps::mean,
       .views = {View::raw},
       .value = [](const PhaseView& p, View) { return mean_of_told(p.observed.dissimilarity); }},
  };
}

}  // namespace tyto
