// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/fusion.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tyto/core/random.hpp"

namespace tyto {
namespace {

struct FusionCase {
  std::shared_ptr<LabelSpace> space = std::make_shared<LabelSpace>();
  Evidence evidence;

  FusionCase() {
    const Label a = space->add_known("a");
    const Label b = space->add_known("b");
    auto store = std::make_shared<DenseStore>(Matrix::Zero(2, 1));
    evidence.samples = Samples(store, {{SampleId{0}, SampleId{1}}, {0, 1}, {}, {}, {}});
    evidence.classes = {a, b};
    evidence.logits = Matrix(2, 2);
    evidence.logits << 0.0F, std::log(3.0F), std::log(3.0F), 0.0F;
    evidence.probability = Matrix(2, 2);
    evidence.probability << 0.25F, 0.75F, 0.75F, 0.25F;
    evidence.novelty = {2.0F, 0.0F};  // the first is novel at threshold 1
  }
};

TEST(Fuse, flag_puts_the_greatest_probability_on_unknown) {  // kowl A9: (0, ln 3)
  FusionCase c;
  const Threshold threshold = threshold_given({}, 1.0F);
  const Prediction out = fuse(c.evidence, c.space, &threshold, Fusion::flag);
  EXPECT_NEAR(out.probability(0, 0), 0.75, 1e-6);
  EXPECT_NEAR(out.probability(0, 1), 0.0625, 1e-6);
  EXPECT_NEAR(out.probability(0, 2), 0.1875, 1e-6);
  EXPECT_EQ(out.label[0], Label::unknown);
  EXPECT_NEAR(out.probability(1, 1), 0.75, 1e-6);
  EXPECT_EQ(out.label[1], Label{1});
}

TEST(Fuse, soft_is_undecided_at_the_threshold) {
  FusionCase c;
  const Threshold threshold = threshold_given({-1.0F, 0.0F, 1.0F}, 2.0F);
  const Prediction out = fuse(c.evidence, c.space, &threshold, Fusion::soft);
  EXPECT_NEAR(out.probability(0, 0), 0.5, 1e-6);    // novelty equals the threshold
  EXPECT_EQ(out.label[0], Label{2});                // and is not above it
  EXPECT_NEAR(out.probability(1, 0), 0.1, 1e-6);    // the median held-out score
  EXPECT_NEAR(out.probability(1, 1), 0.675, 1e-6);  // 0.9 x 0.75
  EXPECT_NEAR(out.p_value[0], 0.25, 1e-6);          // (1 + none of 3 at or above) / 4
  EXPECT_NEAR(out.p_value[1], 0.75, 1e-6);          // 0 and 1 are at or above 0
}

TEST(Fuse, an_unknown_column_of_the_classifier_joins_the_catch_all) {
  FusionCase c;
  c.evidence.classes = {Label::unknown, Label{2}};
  const Prediction out = fuse(c.evidence, c.space, nullptr, Fusion::soft);
  EXPECT_NEAR(out.probability(1, 0), 0.75, 1e-6);
  EXPECT_EQ(out.label[1], Label::unknown);
  EXPECT_EQ(out.label[0], Label{2});
}

TEST(Fuse, groups_of_a_recogniser_share_what_is_novel) {
  FusionCase c;
  const Label g = c.space->add_discovered();
  c.evidence.groups = {Label::unknown, g};
  c.evidence.membership = Matrix(2, 2);
  c.evidence.membership << 0.0F, std::log(4.0F), 0.0F, 0.0F;
  const Threshold threshold = threshold_given({0.0F}, 1.0F);
  const Prediction out = fuse(c.evidence, c.space, &threshold, Fusion::soft);
  EXPECT_EQ(out.label[0], g);
  EXPECT_NEAR(out.probability(0, 3) / out.probability(0, 0), 4.0, 1e-4);
  EXPECT_NEAR(out.probability.row(0).sum(), 1.0, 1e-6);
  const Prediction joint = fuse(c.evidence, c.space, &threshold, Fusion::joint);
  EXPECT_EQ(joint.label[0], Label::unknown);        // flagged
  EXPECT_EQ(joint.label[1], Label{1});              // ln 3 beats 0, 0, 0
  EXPECT_NEAR(joint.probability(1, 1), 0.5, 1e-6);  // 3 / (3 + 1 + 1 + 1)
}

TEST(Fuse, groups_lets_the_recogniser_decide_for_every_row_without_a_detector) {
  FusionCase c;
  const Label g = c.space->add_discovered();
  c.evidence.novelty.clear();
  c.evidence.groups = {Label{2}, g, Label::unknown};  // b, a group, none of them
  c.evidence.membership = Matrix(2, 3);
  c.evidence.membership << std::log(6.0F), std::log(3.0F), 0.0F, 0.0F, std::log(2.0F),
      std::log(5.0F);
  const Prediction out = fuse(c.evidence, c.space, nullptr, Fusion::groups);
  EXPECT_EQ(out.label[0], Label{2});
  EXPECT_NEAR(out.probability(0, 2), 0.6, 1e-6);  // 6 / (6 + 3 + 1)
  EXPECT_NEAR(out.probability(0, 3), 0.3, 1e-6);
  EXPECT_NEAR(out.probability(0, 0), 0.1, 1e-6);
  EXPECT_EQ(out.probability(0, 1), 0.0F);  // the classifier is not heard
  EXPECT_EQ(out.label[1], Label::unknown);
  EXPECT_NEAR(out.probability(1, 0), 0.625, 1e-6);
  EXPECT_EQ(fuse(c.evidence, c.space, nullptr, Fusion::soft).label[0], Label{2}) << "0.75 for b";
  EXPECT_EQ(fuse(c.evidence, c.space, nullptr, Fusion::soft).label[1], Label{1}) << "0.75 for a";
}

TEST(Fuse, groups_tells_novelty_that_decides_nothing) {
  FusionCase c;  // the first row is novel at threshold 1
  c.evidence.groups = {Label{1}, Label::unknown};
  c.evidence.membership = Matrix(2, 2);
  c.evidence.membership << 1.0F, 0.0F, 0.0F, 1.0F;
  const Threshold threshold = threshold_given({0.0F}, 1.0F);
  const Prediction out = fuse(c.evidence, c.space, &threshold, Fusion::groups);
  EXPECT_EQ(out.label, (std::vector<Label>{Label{1}, Label::unknown}));
  EXPECT_EQ(out.novelty[0], 2.0F);
  EXPECT_NEAR(out.p_value[0], 0.5, 1e-6);
}

TEST(Fuse, groups_leaves_the_row_to_the_classifier_until_a_group_is_named) {
  FusionCase c;
  c.evidence.groups = {Label::unknown};
  c.evidence.membership = Matrix::Zero(2, 1);
  const Prediction out = fuse(c.evidence, c.space, nullptr, Fusion::groups);
  EXPECT_EQ(out.label, (std::vector<Label>{Label{2}, Label{1}}));
  EXPECT_NEAR(out.probability(0, 2), 0.75, 1e-6);
}

TEST(ThresholdAt, stands_where_the_accepted_error_says) {
  std::vector<float> held;
  for (int i = 1; i <= 99; ++i) {
    held.push_back(static_cast<float>(i));
  }
  EXPECT_EQ(threshold_at(held, 0.1).value, 90.0F);  // k = ceil(100 x 0.9) = 90
  EXPECT_EQ(threshold_at(held, 0.0).value, 99.0F);
  EXPECT_EQ(threshold_at(held, 1.0).value, 1.0F);
  EXPECT_EQ(threshold_at({7.0F}, 0.1).value, 7.0F);
}

TEST(ThresholdAt, keeps_its_promise_on_new_samples) {
  // Exchangeable scores: the chance of a new one above the threshold is at most the error, and not
  // far below it. 2000 draws of 50 held-out scores and one new one.
  Rng rng(9);
  int above = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<float> held;
    for (int i = 0; i < 50; ++i) {
      held.push_back(static_cast<float>(rng.normal()));
    }
    above += static_cast<float>(rng.normal()) > threshold_at(held, 0.1).value ? 1 : 0;
  }
  EXPECT_LT(above, 235);  // 200 expected at most, deviation 13.4
  EXPECT_GT(above, 150);
}

TEST(ThresholdAt, weights_let_each_class_count_alike) {
  // Nine samples of one class at 1..9, one of another at 20. By classes the one weighs 5 and the
  // nine 5/9 each. The next sample is of either class as often: it weighs (5 + 5/9) / 2 = 25/9, and
  // (10 + 25/9)(1 - 0.3) = 8.9 of weight lie at or below 20 only.
  const std::vector<float> held{1, 2, 3, 4, 5, 6, 7, 8, 9, 20};
  std::vector<float> weight(9, 5.0F / 9.0F);
  weight.push_back(5.0F);
  EXPECT_EQ(threshold_at(held, 0.3).value, 8.0F);
  const Threshold threshold = threshold_at(held, 0.3, weight);
  EXPECT_EQ(threshold.value, 20.0F);
  EXPECT_FLOAT_EQ(threshold.p_value(10.0F), 70.0F / 115.0F);  // 25/9 + 5 of 25/9 + 10
  EXPECT_FLOAT_EQ(threshold.p_value(9.0F), 75.0F / 115.0F);
  EXPECT_FLOAT_EQ(threshold.p_value(21.0F), 25.0F / 115.0F);
  EXPECT_FLOAT_EQ(threshold_at(held, 0.3).p_value(9.0F), 3.0F / 11.0F);
  EXPECT_NEAR(threshold.least_error(), 25.0 / 115.0, 1e-6);
}

TEST(ThresholdAt, promises_no_less_than_so_many_samples_can_show) {
  std::vector<float> held;
  for (int i = 1; i <= 69; ++i) {
    held.push_back(static_cast<float>(i));
  }
  const Threshold threshold = threshold_at(held, 0.01);
  EXPECT_NEAR(threshold.least_error(), 1.0 / 70.0, 1e-12);
  EXPECT_EQ(threshold.value, 69.0F);                       // none of them is above
  EXPECT_EQ(threshold_at(held, 1.0 / 70.0).value, 69.0F);  // k = 70 x 69/70
  EXPECT_EQ(threshold_at(held, 2.0 / 70.0).value, 68.0F);
  // Of groups of 7 that agree in everything there are no more than about ten: 7 / (69 + 7).
  EXPECT_NEAR(threshold_at(held, 0.01, {}, 7.0).least_error(), 7.0 / 76.0, 1e-12);
  EXPECT_EQ(threshold_at(held, 0.1).value, 63.0F);           // 70 x 0.9
  EXPECT_EQ(threshold_at(held, 0.1, {}, 7.0).value, 69.0F);  // 76 x 0.9 = 68.4
}

}  // namespace
}  // namespace tyto
