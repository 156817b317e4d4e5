// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/registry.hpp"

#include <set>

#include "measure/toy_record.hpp"
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

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

TEST(MeasureSpecs, of_ranking_are_missing_where_all_is_known_or_all_novel_or_nothing_scored) {
  PhaseView no_scores = ranked_phase({"A", "A", "X"});
  no_scores.novelty.clear();
  no_scores.count();
  for (const PhaseView& view :
       {ranked_phase({"A", "B", "A"}), ranked_phase({"X", "Y", "X"}), no_scores}) {
    for (const MeasureSpec& spec : measure_specs()) {
      const bool ranks = spec.name.starts_with("auroc") || spec.name.starts_with("aupr") ||
                         spec.name.starts_with("average_precision") ||
                         spec.name.starts_with("fpr_at") || spec.name.starts_with("ccr_at") ||
                         spec.name == "oscr";
      EXPECT_TRUE(!ranks || !spec.value(view, spec.views.front())) << spec.name;
    }
  }
}

TEST(MeasureSpecs, are_defined_or_missing_but_never_infinite_at_the_edges) {
  for (const PhaseView& view : {ranked_phase({"A", "A", "A"}), ranked_phase({"X", "X", "X"}),
                                ranked_phase({"A", "B", "X"})}) {
    PhaseView sum = view;
    sum.merge(view);
    for (const MeasureSpec& spec : measure_specs()) {
      for (const View of : spec.views) {
        const double value = spec.value(view, of).value_or(0.0);
        EXPECT_TRUE(value >= -1.0 && value <= 1.5) << spec.name << ' ' << value;
        if (spec.over_steps == OverSteps::sum) {
          EXPECT_NEAR(spec.value(sum, of).value_or(-9.0), spec.value(view, of).value_or(-9.0),
                      1e-12)
              << spec.name;
        }
      }
    }
  }
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
