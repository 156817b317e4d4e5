// SPDX-License-Identifier: Apache-2.0
// Do the groups agree, whatever they are called?
#include "tyto/measure/formulas/scores.hpp"
#include "tyto/measure/registry.hpp"

namespace tyto {

namespace {

MeasureSpec nmi_spec(std::string name, EntropyMean mean, std::string summary,
                     const std::string& below, std::vector<std::string> also_called = {}) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .formula = "I / " + below +
                     "; I mutual information, H_t and H_p entropies of actual and predicted names; "
                     "1 if both are 0, 0 if one is",
          .positive_class = "",
          .better = Better::higher,
          .over_steps = OverSteps::sum,
          .views = {kViews.begin(), kViews.end()},
          .value = [mean](const PhaseView& p, View view) { return nmi(p.views.of(view), mean); },
          .also_called = std::move(also_called)};
}

}  // namespace

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
      nmi_spec("nmi", EntropyMean::arithmetic,
               "Agreement of the groups whatever their names, from 0 (independent) to 1 (the same "
               "groups).",
               "((H_t + H_p) / 2)", {"symmetric_uncertainty"}),
      nmi_spec("nmi_geometric", EntropyMean::geometric,
               "Agreement of the groups as nmi, divided by the geometric mean of the entropies.",
               "sqrt(H_t H_p)"),
      nmi_spec("nmi_min", EntropyMean::smaller,
               "Agreement of the groups as nmi, divided by the smaller entropy: 1 also where one "
               "side only splits the groups of the other.",
               "min(H_t, H_p)"),
      nmi_spec("nmi_max", EntropyMean::larger,
               "Agreement of the groups as nmi, divided by the larger entropy: the strictest form.",
               "max(H_t, H_p)"),
      {.name = "information_quality_ratio",
       .summary = "Share of all the information in actual and predicted names that both have in "
                  "common.",
       .formula = "I / H_tp; I mutual information, H_tp = H_t + H_p - I entropy of the pairs; 1 if "
                  "that is 0",
       .positive_class = "",
       .better = Better::higher,
       .over_steps = OverSteps::sum,
       .views = all,
       .value = [](const PhaseView& p,
                   View view) { return information_quality_ratio(p.views.of(view)); }},
      {.name = "ari",
       .summary = "Agreement on which pairs of samples belong together, less what chance gives: 1 "
                  "the same groups, 0 chance.",
       .formula =
           "2 (a d - b c) / ((a + b) (b + d) + (a + c) (c + d)); a pairs of samples together "
           "in both, b in the actual groups only, c in the predicted ones only, d in "
           "neither; 1 if b = c = 0",
       .positive_class = "",
       .better = Better::higher,
       .over_steps = OverSteps::sum,
       .views = all,
       .value = [](const PhaseView& p, View view) { return ari(p.views.of(view)); },
       .also_called = {"adjusted_rand_index"}},
  };
}

}  // namespace tyto
