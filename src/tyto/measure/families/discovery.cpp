// SPDX-License-Identifier: Apache-2.0
// What the groups are worth once each is given the class that fits it best.
#include "tyto/measure/registry.hpp"

namespace tyto {

namespace {

// Among the samples of one kind, with the matching of all of them (generalised category discovery).
std::optional<double> matched_share(const PhaseView& p, bool of_novel) {
  const Matching& matching = p.matching();
  std::vector<Index> label_of;  // by place in `names`
  for (const std::string& name : p.names) {
    label_of.push_back(p.views.raw.find(name).value());
  }
  Confusion::Count right = 0;
  Confusion::Count all = 0;
  for (std::size_t i = 0; i < p.actual.size(); ++i) {
    if ((p.is_novel[i] != 0) == of_novel) {
      const Index group = label_of[static_cast<std::size_t>(p.decision[i])];
      const Index matched = matching.class_of[static_cast<std::size_t>(group)];
      right += matched == label_of[static_cast<std::size_t>(p.actual[i])] ? 1 : 0;
      ++all;
    }
  }
  if (all == 0) {
    return std::nullopt;
  }
  return static_cast<double>(right) / static_cast<double>(all);
}

MeasureSpec part_spec(std::string name, bool of_novel, std::string summary, std::string formula) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .formula = std::move(formula),
          .positive_class = "",
          .better = Better::higher,
          .over_steps = OverSteps::mean,
          .views = {View::raw},
          .value = [of_novel](const PhaseView& p, View) { return matched_share(p, of_novel); }};
}

}  // namespace

std::vector<MeasureSpec> discovery_measures() {
  return {
      {.name = "hungarian_accuracy",
       .summary = "Share of samples given their right name after each predicted group was given "
                  "the name that fits best, no name twice.",
       .formula =
           "max over one-to-one matchings g of sum_k M_k,g(k) / s; `unknown` is a group like "
           "any other",
       .positive_class = "",
       .better = Better::higher,
       .over_steps = OverSteps::sum,
       .views = {View::raw, View::recognition},
       .value =
           [](const PhaseView& p, View view) {
             return view == View::raw ? p.matching().accuracy()
                                      : match_groups(p.views.of(view)).accuracy();
           },
       .also_called = {"clustering_accuracy"}},
      part_spec("hungarian_accuracy_known", false,
                "Hungarian accuracy among the samples of known classes, by the matching of all "
                "samples.",
                "samples of known classes k with group g(k) / samples of known classes; g as in "
                "hungarian_accuracy, raw; missing if there are none"),
      part_spec("hungarian_accuracy_novel", true,
                "Hungarian accuracy among the samples of new classes, by the matching of all "
                "samples.",
                "samples of novel classes k with group g(k) / samples of novel classes; g as in "
                "hungarian_accuracy, raw; missing if there are none"),
  };
}

}  // namespace tyto
