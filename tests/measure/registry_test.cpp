// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/registry.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "measure/toy_record.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

std::optional<double> value_of(std::string_view name, View view, const PhaseView& phase) {
  return find_measure(name).value(phase, view);
}

// Novel samples first by score; five ranks are all the space has.
PhaseView ranked_phase(const std::vector<std::string>& labels) {
  Phase phase = toy_phase({1, "pre", "test"}, {"A", "B"}, {"A", "B", "unknown"});
  phase.top.resize(3, 5);
  phase.top << 1, 2, 0, 3, 4, 2, 0, 3, 1, 4, 0, 3, 4, 1, 2;
  phase.novelty = {0.1F, 0.3F, 0.9F};
  return view_phase(phase, toy_truth(labels));
}

TEST(FindMeasure, knows_the_names_of_the_literature) {
  EXPECT_EQ(find_measure("uda").name, "detection_rate");
  EXPECT_EQ(find_measure("oca").name, "accuracy");
  EXPECT_EQ(find_measure("cca").name, "closed_accuracy");
  std::set<std::string> names;
  for (const MeasureSpec& spec : measure_specs()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    for (const std::string& other : spec.also_called) {
      EXPECT_TRUE(names.insert(other).second) << other;
    }
  }
}

TEST(MeasureSpecs, name_the_positive_class_of_what_depends_on_it) {
  EXPECT_EQ(find_measure("average_precision_novel").positive_class, "novel");
  EXPECT_EQ(find_measure("fpr_at_95_tpr_known").positive_class, "known");
  EXPECT_EQ(find_measure("oscr").positive_class, "known");
  EXPECT_EQ(find_measure("openness").better, Better::neither);
}

TEST(MeasureSpecs, of_a_phase_with_ranks_and_scores) {
  // A first, A fourth, X nowhere: hits 1 0 0 1 0. A and A are known, X is novel.
  const PhaseView view = ranked_phase({"A", "A", "X"});
  EXPECT_DOUBLE_EQ(*value_of("top3_accuracy", View::raw, view), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(*value_of("top5_accuracy", View::raw, view), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(*value_of("top1_top5_error", View::raw, view), 0.5);
  EXPECT_EQ(value_of("auroc", View::detection, view), 1.0);
  EXPECT_EQ(value_of("average_precision_novel", View::detection, view), 1.0);
  EXPECT_EQ(value_of("fpr_at_95_tpr_known", View::detection, view), 0.0);
  EXPECT_EQ(value_of("ccr_at_fpr_0.1", View::classification, view), 0.5);  // B was named
  EXPECT_EQ(value_of("oscr", View::classification, view), 0.5);
}

TEST(MeasureSpecs, are_defined_or_missing_but_never_infinite_at_the_edges) {
  for (const PhaseView& view : {ranked_phase({"A", "A", "A"}), ranked_phase({"X", "X", "X"}),
                                ranked_phase({"A", "B", "X"})}) {
    PhaseView sum = view;
    sum.merge(view);
    for (const MeasureSpec& spec : measure_specs()) {
      for (const View of : spec.views) {
        const double value = spec.value(view, of).value_or(0.0);
        const double most = spec.name == "groups_used"        ? 3.0  // of three samples
                            : spec.name == "world_regret_mcc" ? 2.0
                                                              : 1.5;
        EXPECT_TRUE(value >= -1.0 && value <= most) << spec.name << ' ' << value;
        if (spec.over_steps == OverSteps::sum) {
          EXPECT_NEAR(spec.value(sum, of).value_or(-9.0), spec.value(view, of).value_or(-9.0),
                      1e-12)
              << spec.name;
        }
      }
    }
  }
}

// The tables of docs/measures.md.
TEST(MeasureSpecs, of_the_worked_example) {
  const PhaseView view = view_phase(worked_phase({1, "pre", "test"}), worked_truth());

  struct Row {
    View view;
    double geometric, smaller, larger, quality, rand;
  };

  for (const Row& row :
       {Row{View::raw, 0.463637, 0.483164, 0.444900, 0.301442, 0.115818},
        Row{View::classification, 0.383311, 0.386558, 0.380092, 0.237086, 0.296593},
        Row{View::detection, 0.401977, 0.401977, 0.401977, 0.251546, 0.470930},
        Row{View::recognition, 0.506007, 0.540074, 0.474089, 0.337734, 0.477285}}) {
    EXPECT_NEAR(*value_of("nmi_geometric", row.view, view), row.geometric, 1e-6);
    EXPECT_NEAR(*value_of("nmi_min", row.view, view), row.smaller, 1e-6);
    EXPECT_NEAR(*value_of("nmi_max", row.view, view), row.larger, 1e-6);
    EXPECT_NEAR(*value_of("information_quality_ratio", row.view, view), row.quality, 1e-6);
    EXPECT_NEAR(*value_of("ari", row.view, view), row.rand, 1e-6);
  }
  EXPECT_NEAR(*value_of("hungarian_accuracy", View::raw, view), 0.571429, 1e-6);
  EXPECT_NEAR(*value_of("hungarian_accuracy", View::recognition, view), 0.714286, 1e-6);
  EXPECT_NEAR(*value_of("balanced_accuracy", View::raw, view), 0.312500, 1e-6);
  EXPECT_NEAR(*value_of("balanced_accuracy", View::classification, view), 0.694444, 1e-6);
  EXPECT_NEAR(*value_of("balanced_accuracy", View::detection, view), 0.854167, 1e-6);
  EXPECT_NEAR(*value_of("openness", View::classification, view), 1 - std::sqrt(4.0 / 6.0), 1e-12);
  EXPECT_EQ(value_of("reaction_time", View::detection, view), 0.0);
}

using Missing = std::set<std::string>;

// Of a classifier's belief, which none of these records holds; see reliability_test.
const Missing kConfidenceMeasures = {"ece10",
                                     "mce10",
                                     "adaptive_ece15_array_split",
                                     "debiased_l2_equal_mass15",
                                     "ks_error",
                                     "nll",
                                     "brier_sum",
                                     "mean_confidence",
                                     "failure_auroc_maxprob",
                                     "aurc",
                                     "set_coverage",
                                     "set_promised",
                                     "set_size"};

// Of what a world says of its observations; see novelty_sets_test.
const Missing kObservedMeasures = {"unanimous_novelty",
                                   "ignored_observed_novelty",
                                   "imperceptible_novelty",
                                   "unverifiable_novelty",
                                   "ignored_faux_observation_novelty",
                                   "faux_observed_novelty",
                                   "faux_agent_novelty",
                                   "nuisance_alarm_rate",
                                   "observation_regret",
                                   "predictor_regret",
                                   "observation_dissimilarity"};

// Those without a value in every view they have, besides these.
Missing missing_of(const PhaseView& view) {
  Missing names;
  for (const MeasureSpec& spec : measure_specs()) {
    const bool has_none = std::none_of(spec.views.begin(), spec.views.end(),
                                       [&](View of) { return spec.value(view, of).has_value(); });
    if (kConfidenceMeasures.contains(spec.name) || kObservedMeasures.contains(spec.name)) {
      EXPECT_TRUE(has_none) << spec.name;
    } else if (has_none) {
      names.insert(spec.name);
    }
  }
  return names;
}

const Missing kRankingMeasures = {"auroc",
                                  "average_precision_novel",
                                  "average_precision_known",
                                  "aupr_novel",
                                  "aupr_known",
                                  "fpr_at_95_tpr_novel",
                                  "fpr_at_95_tpr_known",
                                  "ccr_at_fpr_0.1",
                                  "ccr_at_fpr_0.01",
                                  "ccr_at_fpr_0.001",
                                  "oscr"};

Missing and_ranking(Missing others) {
  others.insert(kRankingMeasures.begin(), kRankingMeasures.end());
  return others;
}

TEST(MeasureSpecs, where_all_samples_are_known) {
  const PhaseView view = ranked_phase({"A", "B", "A"});
  EXPECT_EQ(missing_of(view), and_ranking({"detection_rate", "hungarian_accuracy_novel",
                                           "hungarian_accuracy_novel_apart", "reaction_time",
                                           "reaction_time_text", "reaction_time_caption"}));
  EXPECT_EQ(value_of("openness", View::classification, view), 0.0);
}

TEST(MeasureSpecs, where_nothing_was_scored) {
  PhaseView view = ranked_phase({"A", "A", "X"});
  view.novelty.clear();
  view.count();
  EXPECT_EQ(missing_of(view), kRankingMeasures);
}

TEST(MeasureSpecs, where_all_samples_are_novel) {
  const Missing of_known = {"false_alarm_rate",         "known_accuracy",
                            "accepted_accuracy",        "closed_accuracy",
                            "hungarian_accuracy_known", "hungarian_accuracy_known_apart"};
  const PhaseView let_in = ranked_phase({"X", "Y", "X"});
  EXPECT_EQ(missing_of(let_in), and_ranking(of_known));
  EXPECT_EQ(value_of("f_measure", View::classification, let_in), 0.0);
  Missing kept_out = of_known;
  kept_out.insert(
      {"f_measure", "f_measure_micro", "top3_accuracy", "top5_accuracy", "top1_top5_error"});
  EXPECT_EQ(missing_of(view_phase(toy_phase({1, "pre", "test"}, {"A"}, {"unknown", "unknown"}),
                                  toy_truth({"X", "Y"}))),
            and_ranking(kept_out));
}

TEST(MeasureSpecs, where_no_class_is_known) {
  const PhaseView view = view_phase(toy_phase({1, "pre", "test"}, {}, {"unknown", "discovered_0"}),
                                    toy_truth({"X", "Y"}));
  EXPECT_EQ(value_of("openness", View::classification, view), 1.0);
  EXPECT_EQ(value_of("detection_rate", View::detection, view), 1.0);
  EXPECT_EQ(value_of("hungarian_accuracy_novel", View::raw, view), 1.0);
  EXPECT_FALSE(value_of("f_measure", View::classification, view));
  EXPECT_FALSE(value_of("closed_accuracy", View::classification, view));
}

TEST(MeasureSpecs, where_all_scores_are_equal) {
  PhaseView view = ranked_phase({"A", "A", "X"});  // one of the two known is named right
  view.novelty.assign(3, 0.5F);
  view.count();
  EXPECT_EQ(value_of("auroc", View::detection, view), 0.5);
  EXPECT_DOUBLE_EQ(*value_of("average_precision_novel", View::detection, view), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(*value_of("average_precision_known", View::detection, view), 2.0 / 3.0);
  EXPECT_EQ(value_of("fpr_at_95_tpr_novel", View::detection, view), 1.0);
  EXPECT_EQ(value_of("fpr_at_95_tpr_known", View::detection, view), 1.0);
  EXPECT_EQ(value_of("ccr_at_fpr_0.1", View::classification, view), 0.0);
  EXPECT_EQ(value_of("closed_accuracy", View::classification, view), 0.5);
  EXPECT_EQ(value_of("oscr", View::classification, view), 0.25);
}

TEST(PhaseView, ranks_anew_after_it_was_picked_appended_or_counted) {
  PhaseView view = ranked_phase({"A", "B", "X"});
  EXPECT_EQ(view.ranking().groups.size(), 3u);
  EXPECT_EQ(view.matching().total, 3);
  const std::vector<Index> rows{2, 0};
  EXPECT_EQ(view.pick(rows).ranking().groups.size(), 2u);
  EXPECT_EQ(view.pick(rows).matching().total, 2);
  view.novelty.assign(3, 1.0F);
  view.count();
  EXPECT_EQ(view.ranking().groups.size(), 1u);
  view.append(ranked_phase({"A", "B", "X"}));
  EXPECT_EQ(view.ranking().groups.size(), 4u);
  EXPECT_EQ(view.matching().total, 6);
  view.merge(view);
  EXPECT_TRUE(view.ranking().groups.empty());
  EXPECT_EQ(view.matching().total, 12);
}

}  // namespace
}  // namespace tyto
