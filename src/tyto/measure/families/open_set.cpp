// SPDX-License-Identifier: Apache-2.0
// Are the known classes told apart while novel samples are kept out?
#include "tyto/measure/formulas/open_set.hpp"

#include <set>

#include "tyto/measure/registry.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

namespace {

std::optional<double> openness_of(const PhaseView& p) {
  if (p.size() == 0) {
    return std::nullopt;
  }
  std::vector<bool> is_met(p.names.size(), false);
  for (const std::int32_t place : p.actual) {
    is_met[static_cast<std::size_t>(place)] = true;
  }
  std::set<std::string_view> novel;  // a class learned between two batches was novel
  for (std::size_t place = 0; place < p.names.size(); ++place) {
    if (is_met[place] && p.is_known[place] == 0) {
      novel.insert(p.names[place]);
    }
  }
  std::set<std::string_view> known;
  for (std::size_t place = 0; place < p.names.size(); ++place) {
    if (p.is_known[place] != 0 && !novel.contains(p.names[place])) {
      known.insert(p.names[place]);
    }
  }
  return openness(static_cast<std::int64_t>(known.size()), static_cast<std::int64_t>(novel.size()));
}

std::optional<double> closed_accuracy(const PhaseView& p) {
  const auto known = p.views.detection.count(kKnownName, kKnownName) +
                     p.views.detection.count(kKnownName, kUnknownName);
  if (known == 0) {
    return std::nullopt;
  }
  return static_cast<double>(p.closed_right) / static_cast<double>(known);
}

MeasureSpec ccr_spec(std::string name, std::int64_t one_in, std::string_view limit) {
  return {.name = std::move(name),
          .summary =
              "Share of the samples of known classes that are let in and named right while "
              "fewer than " +
              std::string(limit) + " of the new ones are let in.",
          .formula =
              "known samples with novelty < t whose first known entry is their class / known "
              "samples; t the novelty of the novel sample at rank ceil(" +
              std::string(limit) +
              " n_novel), the lowest first; missing if there are none of either",
          .positive_class = "known",
          .better = Better::higher,
          .over_steps = OverSteps::mean,
          .views = {View::classification},
          .value = [one_in](const PhaseView& p, View) { return ccr_at_fpr(p.ranking(), one_in); }};
}

}  // namespace

std::vector<MeasureSpec> open_set_measures() {
  const std::vector<View> named = {View::classification};
  return {
      {.name = "openness",
       .summary = "How open the task was: 0 no class was new, near 1 nearly all were. It describes "
                  "the task, not the predictor.",
       .formula = "1 - sqrt(2 K / (2 K + N)); K known classes, whether they occur or not, N novel "
                  "classes that occur; missing if there are no samples",
       .positive_class = "",
       .better = Better::neither,
       .over_steps = OverSteps::mean,
       .views = named,
       .value = [](const PhaseView& p, View) { return openness_of(p); }},
      {.name = "f_measure",
       .summary = "Balance of precision and recall of the known classes, each class weighing the "
                  "same; new samples let in count as wrong.",
       .formula = "mean over known k with t_k + p_k > 0 of 2 M_kk / (t_k + p_k); t_k samples of k, "
                  "p_k samples called k, novel ones included",
       .positive_class = "known",
       .better = Better::higher,
       .over_steps = OverSteps::sum,
       .views = named,
       .value = [](const PhaseView& p, View view) { return f_measure(p.views.of(view)); }},
      {.name = "f_measure_micro",
       .summary = "Balance of precision and recall of the known classes, each sample weighing the "
                  "same; new samples let in count as wrong.",
       .formula = "2 sum over known k of M_kk / sum over known k of (t_k + p_k)",
       .positive_class = "known",
       .better = Better::higher,
       .over_steps = OverSteps::sum,
       .views = named,
       .value = [](const PhaseView& p, View view) { return f_measure_micro(p.views.of(view)); }},
      {.name = "closed_accuracy",
       .summary =
           "Share of the samples of known classes that would get their right name if nothing "
           "could be called new.",
       .formula = "samples of known classes whose first known entry is their class / samples of "
                  "known classes; wrong if no known entry was recorded; missing if there are none",
       .positive_class = "",
       .better = Better::higher,
       .over_steps = OverSteps::sum,
       .views = named,
       .value = [](const PhaseView& p, View) { return closed_accuracy(p); },
       .also_called = {"cca"}},
      ccr_spec("ccr_at_fpr_0.1", 10, "0.1"),
      ccr_spec("ccr_at_fpr_0.01", 100, "0.01"),
      ccr_spec("ccr_at_fpr_0.001", 1000, "0.001"),
      {.name = "oscr",
       .summary = "Chance that a sample of a known class would be named right and scores as less "
                  "novel than a sample of a new class.",
       .formula = "area under CCR over FPR: (pairs in order + tied pairs / 2) / (n_novel n_known), "
                  "over pairs of a novel sample and a known one whose first known entry is its "
                  "class; missing if there are none of either",
       .positive_class = "known",
       .better = Better::higher,
       .over_steps = OverSteps::mean,
       .views = named,
       .value = [](const PhaseView& p, View) { return oscr(p.ranking()); }},
  };
}

}  // namespace tyto
