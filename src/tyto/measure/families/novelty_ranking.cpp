// SPDX-License-Identifier: Apache-2.0
// Does the novelty score put new samples above known ones, whatever the threshold?
#include "tyto/measure/ranking.hpp"
#include "tyto/measure/registry.hpp"

namespace tyto {

std::vector<MeasureSpec> novelty_ranking_measures() {
  return {
      {.name = "auroc",
       .summary = "Chance that a sample of a new class has a higher novelty score than one of a "
                  "known class: 1 perfect, 0.5 a coin.",
       .formula = "(pairs in order + tied pairs / 2) / (n_novel n_known), over pairs of a novel "
                  "and a known sample; missing if there are none of either",
       .positive_class = "novel",
       .better = Better::higher,
       .over_steps = OverSteps::mean,
       .views = {View::detection},
       .value = [](const PhaseView& p, View) -> std::optional<double> {
         return p.novelty.empty() ? std::nullopt : auroc(p.novelty, p.is_novel);
       }},
  };
}

}  // namespace tyto
