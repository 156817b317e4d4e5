// SPDX-License-Identifier: Apache-2.0
// Do the names agree? Accuracy in its forms, and correlation.
#include <numeric>

#include <fmt/format.h>

#include "tyto/measure/formulas/scores.hpp"
#include "tyto/measure/registry.hpp"

namespace tyto {

namespace {

std::optional<double> top_accuracy(const PhaseView& p, Index k) {
  if (p.hits_at_rank.empty() || p.views.raw.total() == 0) {
    return std::nullopt;
  }
  const auto hits =
      std::accumulate(p.hits_at_rank.begin(), p.hits_at_rank.begin() + k, Confusion::Count{0});
  return static_cast<double>(hits) / static_cast<double>(p.views.raw.total());
}

MeasureSpec top_spec(Index k, std::string_view in_words) {
  return {.name = fmt::format("top{}_accuracy", k),
          .summary =
              fmt::format("Share of samples whose right name is among the {} likeliest.", in_words),
          .formula = fmt::format("samples whose class is the decision or among the next {} by "
                                 "probability / s; missing if fewer than {} were recorded",
                                 k - 1, kTopRanks),
          .positive_class = "",
          .better = Better::higher,
          .over_steps = OverSteps::sum,
          .views = {View::raw},
          .value = [k](const PhaseView& p, View) { return top_accuracy(p, k); }};
}

}  // namespace

std::vector<MeasureSpec> agreement_measures() {
  // Not recognition: actual and discovered names never agree there.
  const std::vector<View> named = {View::raw, View::classification, View::detection};
  return {
      {.name = "accuracy",
       .summary = "Share of samples given their right name.",
       .formula = "c / s; c samples on the diagonal, s in all; in the classification view this is "
                  "the open-set classification accuracy OCA",
       .positive_class = "",
       .better = Better::higher,
       .over_steps = OverSteps::sum,
       .views = named,
       .value = [](const PhaseView& p, View view) { return accuracy(p.views.of(view)); },
       .also_called = {"oca"}},
      {.name = "balanced_accuracy",
       .summary = "Mean over the classes of the share of their samples given the right name; rare "
                  "classes weigh as much as frequent ones.",
       .formula = "mean over k with t_k > 0 of M_kk / t_k; t_k samples of class k",
       .positive_class = "",
       .better = Better::higher,
       .over_steps = OverSteps::sum,
       .views = named,
       .value = [](const PhaseView& p, View view) { return balanced_accuracy(p.views.of(view)); }},
      {.name = "mcc",
       .summary = "Matthews correlation of actual and predicted names: 1 perfect, 0 no better than "
                  "chance or one name for all.",
       .formula = "(c s - sum_k p_k t_k) / (sqrt(s^2 - sum_k p_k^2) sqrt(s^2 - sum_k t_k^2)); p_k "
                  "samples called k, t_k samples of k; 0 if the denominator is 0",
       .positive_class = "",
       .better = Better::higher,
       .over_steps = OverSteps::sum,
       .views = named,
       .value = [](const PhaseView& p, View view) { return mcc(p.views.of(view)); }},
      top_spec(3, "three"),
      top_spec(5, "five"),
      {.name = "top1_top5_error",
       .summary =
           "Mean of two errors, by which the Kinetics challenges rank: how often the right name is "
           "not the decision, and how often not among the five likeliest.",
       .formula = "1 - (top-1 + top-5 accuracy) / 2; missing if fewer than 5 entries were recorded",
       .positive_class = "",
       .better = Better::lower,
       .over_steps = OverSteps::sum,
       .views = {View::raw},
       .value = [](const PhaseView& p, View) -> std::optional<double> {
         const auto first = top_accuracy(p, 1);
         return first ? std::optional(1.0 - (*first + *top_accuracy(p, kTopRanks)) / 2.0)
                      : std::nullopt;
       }},
  };
}

}  // namespace tyto
