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

// The same with a matching of its own among these samples.
std::optional<double> matched_apart(const PhaseView& p, bool of_novel) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < p.actual.size(); ++i) {
    if ((p.is_novel[i] != 0) == of_novel) {
      rows.push_back(static_cast<Index>(i));
    }
  }
  return rows.empty() ? std::nullopt : p.pick(rows).matching().accuracy();
}

std::optional<double> swallowed_share(const PhaseView& p) {
  const std::vector<GroupedClass> classes = grouped_classes(p.views.raw, p.matching());
  if (classes.empty()) {
    return std::nullopt;
  }
  double sum = 0.0;
  for (const GroupedClass& own : classes) {
    sum += static_cast<double>(own.swallowed) / static_cast<double>(own.support);
  }
  return sum / static_cast<double>(classes.size());
}

std::optional<double> groups_used(const Confusion& matrix) {
  if (matrix.total() == 0) {
    return std::nullopt;
  }
  double groups = 0.0;
  for (const Confusion::Count count : matrix.predicted_counts()) {
    groups += count > 0 ? 1.0 : 0.0;
  }
  return groups;
}

MeasureSpec apart_spec(std::string name, bool of_novel, std::string summary, std::string also) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .formula =
              "hungarian_accuracy of these samples alone, raw: a group may be given one name "
              "here and another among the rest; missing if there are none",
          .positive_class = "",
          .better = Better::higher,
          .over_steps = OverSteps::mean,
          .views = {View::raw},
          .value = [of_novel](const PhaseView& p, View) { return matched_apart(p, of_novel); },
          .also_called = {std::move(also)}};
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
      apart_spec(
          "hungarian_accuracy_known_apart", false,
          "Hungarian accuracy among the samples of known classes, matched by themselves: the "
          "older and higher number (v1).",
          "old_accuracy_v1"),
      apart_spec("hungarian_accuracy_novel_apart", true,
                 "Hungarian accuracy among the samples of new classes, matched by themselves: the "
                 "older and higher number (v1).",
                 "new_accuracy_v1"),
      {.name = "swallowed",
       .summary = "Share of a class lost in groups whose majority is a larger class, mean over the "
                  "classes.",
       .formula = "mean over classes c of sum over groups j with n_m(j) > n_c of M_cj / n_c; m(j) "
                  "the class most samples of group j are of",
       .positive_class = "",
       .better = Better::lower,
       .over_steps = OverSteps::sum,
       .views = {View::raw},
       .value = [](const PhaseView& p, View) { return swallowed_share(p); }},
      {.name = "groups_used",
       .summary = "How many names were given at least once, `unknown` among them.",
       .formula = "number of columns j with M_.j > 0",
       .positive_class = "",
       .better = Better::neither,
       .over_steps = OverSteps::sum,
       .views = {View::raw},
       .value = [](const PhaseView& p, View view) { return groups_used(p.views.of(view)); }},
  };
}

}  // namespace tyto
