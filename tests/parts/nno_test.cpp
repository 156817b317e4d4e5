// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/parts/extremes/cross_class_radius.hpp"

namespace tyto {
namespace {

TEST(CrossClassRadius, takes_the_best_f1_of_those_with_enough_recall) {
  // Two classes, so one is known at a time. Class 0 lies at 1 1 1 1 1 1 1 1 1 5 from its mean,
  // class 1 at 2 from that mean; from its own mean class 1 is at 1, class 0 at 9. Class 0 known:
  // radius 1 accepts 9 of 10 and none unknown, F1 18 / 19; radius 5 all 10 and both unknown, F1 20
  // / 22. Class 1 known: radius 1, F1 1. So 1 in every draw.
  CrossClassRadius search(2);
  Eigen::RowVectorXf row(2);
  for (int i = 0; i < 10; ++i) {
    row << (i < 9 ? 1.0F : 5.0F), 9.0F;
    search.add(row, 0);
  }
  for (int i = 0; i < 2; ++i) {
    row << 2.0F, 1.0F;
    search.add(row, 1);
  }
  EXPECT_EQ(search.classes_seen(), 2);
  EXPECT_NEAR(search.best(Rng(1)), 1.0, 1e-9);
}

TEST(CrossClassRadius, accepts_all_of_one_class_alone) {
  CrossClassRadius search(3);
  EXPECT_EQ(search.best(Rng(1)), 0.0);
  for (const float d : {3.0F, 1.0F, 2.0F}) {
    search.add(Eigen::RowVectorXf::Constant(3, d), 2);
  }
  EXPECT_EQ(search.classes_seen(), 1);
  EXPECT_NEAR(search.best(Rng(1)), 3.0, 1e-9);
}

TEST(Nno, of_a_hand_worked_case) {
  // Means 0 and 10, variance within 1 (deviations +-1 with n - k = 2: 4 / 2 = 2): distances in
  // units of sqrt(2). Every sample is 1 / sqrt(2) from its mean, the other class 9 / sqrt(2) or
  // further: radius 1 / sqrt(2). A point at 3 is 3 times as far: f = 1 - 3.
  Matrix rows(4, 1);
  rows << -1, 1, 9, 11;
  const auto nno = make_part<Classifier>(Slot::classifier, "nno", "{metric: euclidean}");
  ToyWork work;
  nno->learn(ToyExperience(rows, {1, 1, 2, 2}), work);
  Matrix queries(3, 1);
  queries << 3, 0, 10.5F;
  Evidence evidence = classified(*nno.slot, queries);
  ASSERT_EQ(evidence.classes, toy_labels({1, 2}));
  EXPECT_NEAR(evidence.logits(0, 0), -0.5 * 9 / 2.0, 1e-4);
  EXPECT_NEAR(evidence.logits(0, 1), -0.5 * 49 / 2.0, 1e-4);
  auto* detector = dynamic_cast<Detector*>(nno.part.get());
  detector->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], 2.0, 1e-5);
  EXPECT_NEAR(evidence.novelty[1], -1.0, 1e-5);
  EXPECT_NEAR(evidence.novelty[2], -0.5, 1e-5);
  EXPECT_EQ(*detector->own_threshold(), 0.0F);
  EXPECT_FALSE(make_part<Detector>(Slot::detector, "nno", "{threshold: held_out}")
                   ->own_threshold()
                   .has_value());
}

TEST(Nno, does_not_mind_a_linear_map_when_whitened) {
  const ToyClasses toy(4, 60, 3, 5);
  Matrix map(3, 3);
  map << 2, 0, 0, 1, 5, 0, 0, -3, 0.5F;
  ToyWork work;
  const auto plain = make_part<Classifier>(Slot::classifier, "nno", "{shrinkage: 1e-9}");
  const auto mapped = make_part<Classifier>(Slot::classifier, "nno", "{shrinkage: 1e-9}");
  plain->learn(ToyExperience(toy.features, toy.labels), work);
  mapped->learn(ToyExperience(Matrix(toy.features * map), toy.labels), work);
  const Matrix queries = random_rows(20, 3, 6);
  const Evidence a = classified(*plain.slot, queries);
  const Evidence b = classified(*mapped.slot, queries * map);
  EXPECT_LT((a.logits - b.logits).cwiseAbs().maxCoeff(), 1e-2F);
}

TEST(Nno, answers_the_hard_cases) {
  ToyWork work;
  Matrix equal = Matrix::Constant(4, 3, 2.0F);
  Matrix single(2, 3);
  single << 0, 0, 0, 1, 1, 1;
  const ToyClasses wide(2, 3, 20, 9);  // fewer samples than columns

  struct Case {
    Matrix rows;
    std::vector<int> labels;
  };

  for (const Case& one : {Case{equal, {1, 1, 2, 2}}, Case{single, {1, 2}}, Case{single, {1, 1}},
                          Case{wide.features, wide.labels}}) {
    for (const char* yaml : {"{}", "{metric: euclidean}"}) {
      const auto nno = make_part<Classifier>(Slot::classifier, "nno", yaml);
      nno->learn(ToyExperience(one.rows, one.labels), work);
      Evidence evidence = classified(*nno.slot, Matrix(one.rows.array() + 5.0F));
      dynamic_cast<Detector*>(nno.part.get())->detect(evidence);
      EXPECT_TRUE(evidence.logits.allFinite());
      for (const float novelty : evidence.novelty) {
        EXPECT_TRUE(std::isfinite(novelty));
        EXPECT_GT(novelty, 0.0F);
      }
    }
  }
}

TEST(Nno, is_the_same_alone_in_the_slot_detector_and_after_loading) {
  const ToyClasses toy(5, 30, 4, 7);
  const auto both = make_part<Classifier>(Slot::classifier, "nno");
  const auto alone = make_part<Detector>(Slot::detector, "nno");
  ToyWork work;
  both->learn(ToyExperience(toy.features, toy.labels), work);
  alone->profile(ToyExperience(toy.features, toy.labels), work);
  Evidence a = toy_evidence(random_rows(10, 4, 2));
  Evidence b = a;
  Evidence c = a;
  dynamic_cast<Detector*>(both.part.get())->detect(a);
  alone->detect(b);
  reloaded(alone, Slot::detector, "nno")->detect(c);
  EXPECT_EQ(a.novelty, b.novelty);
  EXPECT_EQ(a.novelty, c.novelty);
}

}  // namespace
}  // namespace tyto
