// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/decided_belief.hpp"

#include <gtest/gtest.h>

#include "tyto/core/random.hpp"

namespace tyto {
namespace {

// unknown, a, b, discovered_1
Prediction prediction_of(const std::vector<float>& belief, Index decided) {
  LabelSpace space;
  space.add_known("a");
  space.add_known("b");
  space.add_discovered();
  Prediction prediction;
  prediction.space = std::make_shared<const LabelSpace>(space);
  prediction.probability = Eigen::Map<const Matrix>(belief.data(), 1, 4);
  prediction.label = {static_cast<Label>(decided)};
  return prediction;
}

const std::vector<Label> kClasses{static_cast<Label>(1), static_cast<Label>(2)};

std::vector<float> row(const Prediction& prediction) {
  return {prediction.probability.data(), prediction.probability.data() + 4};
}

TEST(DecidedBelief, is_left_alone_where_it_says_what_was_decided) {
  Prediction prediction = prediction_of({0.1F, 0.6F, 0.2F, 0.1F}, 1);
  believe_decision(prediction, 0, kClasses);
  EXPECT_EQ(row(prediction), (std::vector<float>{0.1F, 0.6F, 0.2F, 0.1F}));
}

TEST(DecidedBelief, changes_places_with_the_greatest) {
  Prediction prediction = prediction_of({0.3F, 0.5F, 0.1F, 0.1F}, 0);
  believe_decision(prediction, 0, kClasses);
  EXPECT_EQ(row(prediction), (std::vector<float>{0.5F, 0.3F, 0.1F, 0.1F}));
}

TEST(DecidedBelief, in_a_class_outweighs_all_that_is_none) {
  Prediction prediction = prediction_of({0.25F, 0.375F, 0.0F, 0.375F}, 1);
  believe_decision(prediction, 0, kClasses);
  EXPECT_FLOAT_EQ(prediction.probability(0, 1), 0.625F);
  EXPECT_FLOAT_EQ(prediction.probability(0, 0) + prediction.probability(0, 3), 0.375F);
  EXPECT_FLOAT_EQ(prediction.probability(0, 0) / prediction.probability(0, 3), 0.25F / 0.375F);
}

TEST(DecidedBelief, holds_for_any_belief_and_any_decision) {
  Rng rng(5, "beliefs");
  for (int i = 0; i < 2000; ++i) {
    std::vector<float> belief(4);
    float sum = 0;
    for (float& p : belief) {
      p = rng.below(4) == 0 ? 0.0F : static_cast<float>(rng.uniform());
      sum += p;
    }
    if (sum == 0) {
      continue;
    }
    for (float& p : belief) {
      p /= sum;
    }
    const Index decided = rng.below(4);
    Prediction prediction = prediction_of(belief, decided);
    believe_decision(prediction, 0, kClasses);
    const auto now = prediction.probability.row(0);
    EXPECT_NEAR(now.sum(), 1.0F, 1e-5F);
    EXPECT_GE(now.minCoeff(), 0.0F);
    EXPECT_GE(now(decided), now.maxCoeff() - 1e-6F);
    const float none = now(0) + now(3);
    if (decided == 1 || decided == 2) {
      EXPECT_GE(now(decided), none - 1e-5F) << "over K + 1 columns";
    } else {
      EXPECT_GE(none, std::max(now(1), now(2)) - 1e-6F);
    }
  }
}

TEST(DecidedBelief, falls_on_known_classes_before_a_change_that_is_told) {
  Prediction prediction = prediction_of({0.5F, 0.1F, 0.3F, 0.1F}, 0);
  believe_known(prediction, 0, kClasses);
  EXPECT_EQ(row(prediction), (std::vector<float>{0.0F, 0.25F, 0.75F, 0.0F}));
  EXPECT_EQ(prediction.label[0], static_cast<Label>(2));
  Prediction sure = prediction_of({1.0F, 0.0F, 0.0F, 0.0F}, 0);
  believe_known(sure, 0, kClasses);
  EXPECT_EQ(row(sure), (std::vector<float>{0.0F, 0.5F, 0.5F, 0.0F}));
}

}  // namespace
}  // namespace tyto
