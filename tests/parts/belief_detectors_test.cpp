// SPDX-License-Identifier: Apache-2.0
// Networks that are asked several times: an ensemble of them, and one with units silent.
#include <cmath>
#include <set>

#include "parts/toy_experience.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/math/softmax.hpp"
#include "tyto/parts/detector/mean_belief.hpp"

namespace tyto {
namespace {

std::vector<Label> two_classes() {
  return {static_cast<Label>(1), static_cast<Label>(2)};
}

TEST(MeanBelief, is_the_mean_of_the_softmaxes) {
  const Matrix a{{2, 0, -1}, {0, 0, 0}}, b{{-1, 1, 3}, {5, 1, 1}};
  MeanBelief belief;
  belief.add(a);
  belief.add(b);
  const Matrix mean = 0.5F * (softmax(a) + softmax(b));
  EXPECT_LT((belief.log_probability() - Matrix(mean.array().log())).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Doubt, falls_with_the_highest_mean_softmax) {
  MeanBelief belief;
  belief.add(Matrix{{std::log(0.7F), std::log(0.3F)}, {std::log(0.1F), std::log(0.9F)}});
  const std::vector<float> novelty = doubt(belief.log_probability(), two_classes(), "test");
  EXPECT_NEAR(novelty[0], std::log(-std::log(0.7)), 1e-5);
  EXPECT_NEAR(novelty[1], std::log(-std::log(0.9)), 1e-5);
}

// Softmax in float32 is exactly 1 from a gap of 17 on; these differ all the same.
TEST(Doubt, tells_apart_what_saturates) {
  MeanBelief belief;
  belief.add(Matrix{{0, 30}, {0, 31}, {0, 300}, {0, 3000}});
  const std::vector<float> novelty = doubt(belief.log_probability(), two_classes(), "test");
  EXPECT_NEAR(novelty[0], -30.0, 1e-4);
  EXPECT_NEAR(novelty[3], -3000.0, 1e-2);
  EXPECT_EQ(std::set<float>(novelty.begin(), novelty.end()).size(), 4U);
}

TEST(Doubt, has_none_of_one_class_and_refuses_none) {
  EXPECT_TRUE(std::isfinite(doubt(Matrix{{0}}, {static_cast<Label>(1)}, "test")[0]));
  EXPECT_THROW(doubt(Matrix{{0}}, {Label::unknown}, "test"), Error);
}

class Beliefs : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Beliefs, are_unsure_between_classes_and_the_same_for_a_row_by_itself) {
  const auto& [name, options] = GetParam();
  Matrix rows = random_rows(200, 2, 1);
  std::vector<int> labels;
  for (Index i = 0; i < rows.rows(); ++i) {
    labels.push_back(static_cast<int>(i % 2) + 1);
    rows(i, 0) += i % 2 == 0 ? -6.0F : 6.0F;
  }
  ToyWork work;
  const auto part = make_part<Detector>(Slot::detector, name, options);
  part->profile(ToyExperience(rows, labels), work);
  const auto asked = [&](const Detector& detector, const Matrix& queries) {
    Evidence evidence = toy_evidence(queries);
    evidence.frames = frames_of(evidence.samples, [](const MatrixView& r) { return Matrix(r); });
    detector.detect(evidence);
    EXPECT_EQ(evidence.logits.size(), 0);  // those of the classifier, of which there is none
    return evidence.novelty;
  };
  const Matrix queries{{-6, 0}, {6, 0}, {0, 0}};
  const std::vector<float> novelty = asked(*part.slot, queries);
  EXPECT_GT(novelty[2], novelty[0]);
  EXPECT_GT(novelty[2], novelty[1]);
  EXPECT_NEAR(asked(*part.slot, queries.middleRows(2, 1))[0], novelty[2], 1e-4);
  EXPECT_EQ(asked(*reloaded(part, Slot::detector, name, options).slot, queries), novelty);

  auto* classifier = dynamic_cast<Classifier*>(part.part.get());
  Evidence evidence = toy_evidence(queries);
  evidence.frames = frames_of(evidence.samples, [](const MatrixView& r) { return Matrix(r); });
  classifier->classify(evidence);
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(evidence.logits.row(i).array().exp().sum(), 1.0, 1e-5);
  }
  evidence.classifier = classifier;
  part->detect(evidence);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(evidence.novelty[i], novelty[i], 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Beliefs,
    testing::Values(std::pair("deep_ensemble",
                              "{members: 3, member: {name: mlp, hidden: 16, steps_at_least: 100}}"),
                    std::pair("mc_dropout", "{hidden: 32, epochs: 20, passes: 10}")),
    [](const auto& param) { return std::string(param.param.first); });

TEST(DeepEnsemble, has_members_of_different_seeds) {
  const ToyClasses classes(2, 30, 3, 5);
  ToyWork work;
  const auto part =
      make_part<Classifier>(Slot::classifier, "deep_ensemble",
                            "{members: 2, member: {name: mlp, hidden: 8, steps_at_least: 20}}");
  part->learn(ToyExperience(classes.features, classes.labels), work);
  State state;
  part.part->save(state);
  EXPECT_NE(state.child("network_0").child("net").get<Matrix>("weight_0"),
            state.child("network_1").child("net").get<Matrix>("weight_0"));
}

TEST(McDropout, silences_others_in_every_pass) {
  const ToyClasses classes(2, 30, 3, 5);
  const auto asked = [&](const std::string& options) {
    ToyWork work;
    const auto part = make_part<Detector>(Slot::detector, "mc_dropout", options);
    part->profile(ToyExperience(classes.features, classes.labels), work);
    Evidence evidence = toy_evidence(classes.features.topRows(5));
    evidence.frames = frames_of(evidence.samples, [](const MatrixView& r) { return Matrix(r); });
    part->detect(evidence);
    return evidence.novelty;
  };
  const std::string small = "hidden: 16, epochs: 2, steps_at_least: 10}";
  EXPECT_NE(asked("{passes: 1, " + small), asked("{passes: 4, " + small));
  EXPECT_EQ(asked("{passes: 4, " + small), asked("{passes: 4, " + small));
}

TEST(McDropout, needs_units_to_silence) {
  EXPECT_THROW(make_part<Detector>(Slot::detector, "mc_dropout", "{layers: 0}"), Error);
}

}  // namespace
}  // namespace tyto
