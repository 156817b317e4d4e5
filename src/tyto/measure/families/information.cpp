// SPDX-License-Identifier: Apache-2.0
// Do the groups agree, whatever they are called?
#include "tyto/measure/registry.hpp"
#include "tyto/measure/scores.hpp"

namespace tyto {

std::vector<MeasureSpec> information_measures() {
  const std::vector<View> all(kViews.begin(), kViews.end());
  return {
      {.name = "mutual_information",
       .summary = "What the predicted group tells about the actual one, in nats.",
       .formula = "sum over cells > 0 of P_ij ln(P_ij / (P_i. P_.j)); P = M / s",
       .positive_class = "",
       .better = Better::higher,
       .over_steps = OverSteps::sum,
       .views = all,
       .value = [](const PhaseView& p, View view) { return mutual_information(p.views.of(view)); }},
      {.name = "nmi",
       .summary = "Agreement of the groups whatever their names, from 0 (independent) to 1 (the "
                  "same groups).",
       .formula = "I / ((H_t + H_p) / 2); I mutual information, H_t and H_p entropies of actual "
                  "and predicted names; 1 if both are 0",
       .positive_class = "",
       .better = Better::higher,
       .over_steps = OverSteps::sum,
       .views = all,
       .value = [](const PhaseView& p, View view) { return nmi(p.views.of(view)); }},
  };
}

}  // namespace tyto
