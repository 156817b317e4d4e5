// SPDX-License-Identifier: Apache-2.0
// Does the novelty score put new samples above known ones, whatever the threshold?
#include <fmt/format.h>

#include "tyto/measure/registry.hpp"

namespace tyto {

namespace {

using Score = std::optional<double> (*)(const NoveltyRanking&, Positive);

std::string_view side_name(Positive positive) {
  return positive == Positive::novel ? "novel" : "known";
}

MeasureSpec side_spec(std::string_view name, Positive positive, Better better, Score score,
                      std::string summary, std::string formula) {
  return {.name = fmt::format("{}_{}", name, side_name(positive)),
          .summary = std::move(summary),
          .formula = std::move(formula),
          .positive_class = std::string(side_name(positive)),
          .better = better,
          .over_steps = OverSteps::mean,
          .views = {View::detection},
          .value = [=](const PhaseView& p, View) { return score(p.ranking(), positive); }};
}

}  // namespace

std::vector<MeasureSpec> novelty_ranking_measures() {
  std::vector<MeasureSpec> specs = {
      {.name = "auroc",
       .summary = "Chance that a sample of a new class has a higher novelty score than one of a "
                  "known class: 1 perfect, 0.5 a coin.",
       .formula = "(pairs in order + tied pairs / 2) / (n_novel n_known), over pairs of a novel "
                  "and a known sample; missing if there are none of either",
       .positive_class = "novel",
       .better = Better::higher,
       .over_steps = OverSteps::mean,
       .views = {View::detection},
       .value = [](const PhaseView& p, View) { return auroc(p.ranking()); }},
  };
  for (const Positive positive : {Positive::novel, Positive::known}) {
    const bool novel = positive == Positive::novel;
    const std::string_view wanted = novel ? "new" : "known";
    const std::string_view others = novel ? "known" : "new";
    const std::string_view end = novel ? "highest" : "lowest";
    specs.push_back(side_spec(
        "average_precision", positive, Better::higher, average_precision,
        fmt::format("How pure the list of samples with the {} novelty scores is in {} ones, on the "
                    "mean over its {} samples.",
                    end, wanted, wanted),
        "sum over thresholds of (R_i - R_i-1) P_i, R recall and P precision of those with at least "
        "(known: at most) that score; ties enter together; missing if there are none of either"));
    specs.push_back(side_spec(
        "aupr", positive, Better::higher, precision_recall_area,
        fmt::format("Area under precision over recall of {} samples, lines drawn between points; "
                    "it flatters where points are few.",
                    wanted),
        "sum over thresholds of (R_i - R_i-1) (P_i + P_i-1) / 2, from R = 0, P = 1 on; R recall, P "
        "precision; missing if there are none of either"));
    specs.push_back(side_spec(
        "fpr_at_95_tpr", positive, Better::lower, fpr_at_95_tpr,
        fmt::format("Share of {} samples mistaken for {} ones at the threshold that finds 95 % of "
                    "the {} ones.",
                    others, wanted, wanted),
        "FP / (FP + TN) at the first threshold, the strictest first, with TP / (TP + FN) >= 0.95; "
        "ties enter together; missing if there are none of either"));
  }
  return specs;
}

}  // namespace tyto
