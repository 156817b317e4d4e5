// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/open_set.hpp"

#include <algorithm>
#include <cmath>

#include "measure/golden.hpp"
#include "measure/toy_record.hpp"
#include <gtest/gtest.h>

#include "tyto/core/random.hpp"
#include "tyto/measure/registry.hpp"

namespace tyto {
namespace {

using OpenFlags = std::vector<std::uint8_t>;

std::optional<double> measured(std::string_view measure, const PhaseView& view) {
  return find_measure(measure).value(view, View::classification);
}

struct OpenScores {
  std::vector<float> novelty;
  OpenFlags novel, right;

  [[nodiscard]] NoveltyRanking ranked() const { return rank_novelty(novelty, novel, right); }
};

OpenScores open_scores(Rng& rng, Index values) {
  OpenScores made;
  const Index n = 2 + rng.below(150);
  for (Index i = 0; i < n; ++i) {
    made.novel.push_back(static_cast<std::uint8_t>(i < 2 ? i : rng.below(2)));
    made.novelty.push_back(static_cast<float>(rng.below(values) + made.novel.back()));
    made.right.push_back(static_cast<std::uint8_t>(made.novel.back() == 0 && rng.below(4) > 0));
  }
  return made;
}

TEST(Openness, of_15_of_26_letters) {
  EXPECT_NEAR(*openness(15, 11), 0.1446, 5e-5);  // 1 - sqrt(30 / 41)
  EXPECT_EQ(openness(15, 0), 0.0);
  EXPECT_EQ(openness(0, 3), 1.0);
  EXPECT_FALSE(openness(0, 0));
}

TEST(Openness, counts_known_classes_that_do_not_occur_and_novel_ones_that_do) {
  // Known A, B and C; X and Y occur: 1 - sqrt(6 / 8)
  const Phase phase = toy_phase({1, "pre", "test"}, {"A", "B", "C"}, {"A", "unknown", "A", "A"});
  const PhaseView view = view_phase(phase, toy_truth({"A", "X", "Y", "Y"}));
  EXPECT_DOUBLE_EQ(*measured("openness", view), 1.0 - std::sqrt(0.75));
}

TEST(Openness, counts_a_class_learned_between_two_batches_as_novel) {
  const Truth truth = toy_truth({"A", "X", "X", "A"});
  PhaseView view = view_phase(toy_phase({1, "pre", "test", 1}, {"A"}, {"A", "unknown"}, 0), truth);
  view.append(view_phase(toy_phase({1, "pre", "test", 2}, {"A", "X"}, {"X", "A"}, 2), truth));
  EXPECT_DOUBLE_EQ(*measured("openness", view), 1.0 - std::sqrt(2.0 / 3.0));
}

TEST(FMeasure, of_the_worked_example) {
  // Classification [[5,1,0],[0,3,1],[1,1,2]]: A 6 / (4 + 5), B 4 / (4 + 3); micro 10 / (8 + 8).
  const PhaseView view = view_phase(worked_phase({1, "pre", "test"}), worked_truth());
  EXPECT_DOUBLE_EQ(*f_measure(view.views.classification), (6.0 / 9.0 + 4.0 / 7.0) / 2.0);
  EXPECT_DOUBLE_EQ(*f_measure_micro(view.views.classification), 10.0 / 16.0);
}

TEST(FMeasure, leaves_out_classes_neither_met_nor_called) {
  Confusion m(std::vector<std::string>{"unknown", "A", "B", "C"});
  m.add("A", "A");
  EXPECT_EQ(f_measure(m), 1.0);
  m.add("unknown", "B");  // B has false positives only
  EXPECT_EQ(f_measure(m), 0.5);
}

TEST(FMeasure, is_missing_where_all_is_novel_and_kept_out) {
  Confusion m;
  EXPECT_FALSE(f_measure(m));
  m.add("unknown", "unknown", 3);
  EXPECT_FALSE(f_measure(m));
  EXPECT_FALSE(f_measure_micro(m));
}

TEST(FMeasure, agrees_with_scikit_learn) {
  for_each_golden_matrix([](const Confusion& m, const nlohmann::json& example) {
    EXPECT_NEAR(*f_measure(m), example["f_measure"].get<double>(), 1e-10);
    EXPECT_NEAR(*f_measure_micro(m), example["f_measure_micro"].get<double>(), 1e-10);
  });
}

TEST(ClosedAccuracy, looks_for_the_first_known_entry) {
  // Space: unknown 0, A 1, B 2, two discovered 3 and 4. Samples A, B, B, A; X is not known.
  Phase phase = toy_phase({1, "pre", "test"}, {"A", "B"}, {"A", "A", "A", "A", "A"});
  phase.top.resize(5, 2);
  phase.top << 0, 1, 3, 2, 1, 2, 0, 4, 0, 1;
  const PhaseView view = view_phase(phase, toy_truth({"A", "B", "B", "A", "X"}));
  // The third was named A first; for the fourth no known entry was recorded: 2 of 4.
  EXPECT_EQ(view.closed_right, 2);
  EXPECT_EQ(measured("closed_accuracy", view), 0.5);
  EXPECT_EQ(measured("cca", view), 0.5);
  PhaseView sum = view;
  sum.merge(view);
  EXPECT_EQ(measured("closed_accuracy", sum), 0.5);
}

TEST(ClosedAccuracy, is_missing_where_all_is_novel) {
  const PhaseView view = view_phase(toy_phase({1, "pre", "test"}, {"A"}, {"A"}), toy_truth({"X"}));
  EXPECT_FALSE(measured("closed_accuracy", view));
}

TEST(CcrAtFpr, of_a_hand_worked_ranking) {
  // Ten novel samples with novelty 1 ... 10; known ones 0.5 right, 0.5 wrong, 1 right, 1.5 right.
  // FPR 0.1: t = 1, the lowest novel one, strictly below it 1 right of 4. FPR 0.5: t = 5, 3 of 4.
  OpenScores scores{{0.5F, 0.5F, 1.0F, 1.5F}, {0, 0, 0, 0}, {1, 0, 1, 1}};
  for (int i = 1; i <= 10; ++i) {
    scores.novelty.push_back(static_cast<float>(i));
    scores.novel.push_back(1);
    scores.right.push_back(0);
  }
  EXPECT_EQ(ccr_at_fpr(scores.ranked(), 10), 0.25);
  EXPECT_EQ(ccr_at_fpr(scores.ranked(), 2), 0.75);
  EXPECT_EQ(ccr_at_fpr(scores.ranked(), 1000), 0.25);  // fewer than 1000: none is let in
}

TEST(CcrAtFpr, equals_the_count_below_the_threshold) {
  Rng rng(1, "ccr");
  for (int trial = 0; trial < 60; ++trial) {
    const OpenScores scores = open_scores(rng, 1 + rng.below(60));
    std::vector<float> novel;
    double known = 0;
    for (std::size_t i = 0; i < scores.novel.size(); ++i) {
      if (scores.novel[i] != 0) {
        novel.push_back(scores.novelty[i]);
      } else {
        known += 1;
      }
    }
    std::sort(novel.begin(), novel.end());
    for (const std::int64_t one_in : {2, 10, 100}) {
      const auto rank =
          (novel.size() + static_cast<std::size_t>(one_in) - 1) / static_cast<std::size_t>(one_in);
      double right = 0;
      for (std::size_t i = 0; i < scores.novel.size(); ++i) {
        right += scores.right[i] != 0 && scores.novelty[i] < novel[rank - 1] ? 1 : 0;
      }
      EXPECT_DOUBLE_EQ(*ccr_at_fpr(scores.ranked(), one_in), right / known);
    }
  }
}

TEST(Oscr, equals_the_area_of_a_sweep_over_all_thresholds) {
  Rng rng(2, "oscr");
  for (int trial = 0; trial < 60; ++trial) {
    const OpenScores scores = open_scores(rng, 1 + rng.below(60));
    std::vector<float> thresholds = scores.novelty;
    std::sort(thresholds.begin(), thresholds.end());
    double area = 0, last_fpr = 0, last_ccr = 0;
    for (const float threshold : thresholds) {
      double right = 0, known = 0, let_in = 0, novel = 0;
      for (std::size_t i = 0; i < scores.novel.size(); ++i) {
        const bool in = scores.novelty[i] <= threshold;
        (scores.novel[i] != 0 ? novel : known) += 1;
        let_in += in && scores.novel[i] != 0 ? 1 : 0;
        right += in && scores.right[i] != 0 ? 1 : 0;
      }
      area += (let_in / novel - last_fpr) * (right / known + last_ccr) / 2;
      last_fpr = let_in / novel;
      last_ccr = right / known;
    }
    EXPECT_NEAR(*oscr(scores.ranked()), area, 1e-12);
    EXPECT_LE(*oscr(scores.ranked()), *auroc(scores.ranked()));
  }
}

TEST(Oscr, equals_auroc_where_every_name_would_be_right) {
  Rng rng(3, "oscr");
  OpenScores scores = open_scores(rng, 20);
  for (std::size_t i = 0; i < scores.novel.size(); ++i) {
    scores.right[i] = scores.novel[i] == 0 ? 1 : 0;
  }
  EXPECT_EQ(oscr(scores.ranked()), auroc(scores.ranked()));
}

TEST(Oscr, and_ccr_are_missing_where_samples_are_of_one_kind) {
  for (const auto& novel : {OpenFlags{1, 1}, OpenFlags{0, 0}}) {
    const NoveltyRanking ranking = rank_novelty(std::vector<float>{1, 2}, novel);
    EXPECT_FALSE(oscr(ranking));
    EXPECT_FALSE(ccr_at_fpr(ranking, 10));
  }
}

}  // namespace
}  // namespace tyto
