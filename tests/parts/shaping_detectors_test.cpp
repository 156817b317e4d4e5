// SPDX-License-Identifier: Apache-2.0
// Detectors that bend activations, compare them with patterns or match probabilities: cases worked
// by hand.
#include <cmath>

#include "parts/classified_toy.hpp"
#include <gtest/gtest.h>

#include "tyto/parts/detector/activation_shaping.hpp"

namespace tyto {
namespace {

// Logits x + 2 y and -z + 1.
GivenHead two_classes() {
  return GivenHead(Matrix{{1, 2, 0}, {0, 0, -1}}, Matrix{{0, 1}});
}

std::vector<float> judged(const Made<Detector>& part, const Classifier& head, const Matrix& rows) {
  Evidence evidence = fully_classified(head, rows);
  part->detect(evidence);
  return evidence.novelty;
}

double energy(double a, double b) {
  return std::log(std::exp(a) + std::exp(b));
}

TEST(LargestActivations, are_all_less_the_rounded_rest) {
  const std::vector<double> row{3, 9, 3, 1, -4};
  EXPECT_EQ(largest_activations(row, 0.02), (std::vector<Index>{1}));
  auto two = largest_activations(row, 0.4);  // the first of the two threes
  std::sort(two.begin(), two.end());
  EXPECT_EQ(two, (std::vector<Index>{0, 1}));
  EXPECT_EQ(largest_activations(row, 0.5).size(), 2U);  // 2.5 of five fall away: 3
  EXPECT_EQ(largest_activations(row, 1.0).size(), 5U);
  EXPECT_EQ(sum_above_zero(row), 16.0);
}

TEST(React, cuts_off_at_a_quantile_of_all_activations) {
  // Activations 0 to 8: the quantile 0.75 is 6, 0.25 is 2.
  const GivenHead head = two_classes();
  const Matrix rows{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}};
  ToyWork work;
  const auto at_row = [&](const char* options) {
    auto part = make_part<Detector>(Slot::detector, "react", options);
    part->profile(ClassifiedToy(head, rows, {1, 2, 1}), work);
    part = reloaded(part, Slot::detector, "react", options);
    return judged(part, head, Matrix{{7, 1, -3}})[0];
  };
  EXPECT_NEAR(at_row("{upper: 0.75}"), -energy(6 + 2, 3 + 1), 1e-6);
  EXPECT_NEAR(at_row("{upper: 0.75, lower: 0.25}"), -energy(6 + 4, -2 + 1), 1e-6);
  EXPECT_NEAR(at_row("{upper: 0.75, lower: 0.25, below: zero}"), -energy(6, 1), 1e-6);
  EXPECT_NEAR(at_row("{upper: 1}"), -energy(7 + 2, 3 + 1), 1e-6);
  EXPECT_THROW(make_part<Detector>(Slot::detector, "react", "{upper: 0.2, lower: 0.3}"), Error);
}

TEST(Ash, keeps_the_largest_in_three_forms) {
  // Of (4, 1, 3) two thirds are kept: 4 and 3, of a sum of 8.
  const GivenHead head = two_classes();
  const auto at_row = [&](const char* options, const Matrix& row) {
    return judged(make_part<Detector>(Slot::detector, "ash", options), head, row)[0];
  };
  const Matrix row{{4, 1, 3}};
  EXPECT_NEAR(at_row("{form: p, keep: 0.67}", row), -energy(4, -2), 1e-6);
  EXPECT_NEAR(at_row("{form: b, keep: 0.67}", row), -energy(4, -3), 1e-6);
  const double raised = std::exp(8.0 / 7.0);
  EXPECT_NEAR(at_row("{form: s, keep: 0.67}", row), -energy(4 * raised, 1 - 3 * raised), 1e-5);
  // What is below 0 adds nothing to a sum.
  EXPECT_NEAR(at_row("{form: b, keep: 0.3}", Matrix{{4, -9, 3}}), -energy(7, 1), 1e-6);
  EXPECT_TRUE(std::isfinite(at_row("{form: s}", Matrix{{-1, -1, -1}})));
}

TEST(Scale, raises_all_activations_by_the_share_of_the_largest) {
  const GivenHead head = two_classes();
  const auto part = make_part<Detector>(Slot::detector, "scale", "{keep: 0.67}");
  const double raised = std::exp(8.0 / 7.0);
  EXPECT_NEAR(judged(part, head, Matrix{{4, 1, 3}})[0], -energy(6 * raised, 1 - 3 * raised), 1e-5);
  EXPECT_TRUE(judged(part, head, Matrix(0, 3)).empty());
}

TEST(Nci, is_the_direction_along_the_weights_and_the_activity) {
  // The mean of the rows is (1, 0, 1). At (4, 4, 1): class 1, off (3, 4, 0): (3 + 8) / 5, |z|_1 9.
  const GivenHead head = two_classes();
  ToyWork work;
  auto part = make_part<Detector>(Slot::detector, "nci", "{alpha: 0.1}");
  part->profile(ClassifiedToy(head, Matrix{{2, 0, 0}, {0, 0, 2}}, {1, 2}), work);
  part = reloaded(part, Slot::detector, "nci", "{alpha: 0.1}");
  const auto novelty = judged(part, head, Matrix{{4, 4, 1}, {1, 0, 1}});
  EXPECT_NEAR(novelty[0], -11.0 / 5.0 - 0.9, 1e-6);
  EXPECT_NEAR(novelty[1], -0.2, 1e-6);  // at the mean itself
}

TEST(She, compares_with_the_mean_of_rightly_classified_rows) {
  // Class 1 has the rows (2, 0, 0) and (4, 0, 0), both taken for class 1; its third, (0, 0, -9), is
  // taken for class 2. Class 2 is never right: its pattern is the mean of all its rows.
  const GivenHead head = two_classes();
  const Matrix rows{{2, 0, 0}, {4, 0, 0}, {0, 0, -9}, {5, 0, -1}, {7, 0, -1}};
  ToyWork work;
  auto part = make_part<Detector>(Slot::detector, "she");
  part->profile(ClassifiedToy(head, rows, {1, 1, 1, 2, 2}), work);
  part = reloaded(part, Slot::detector, "she");
  const auto novelty = judged(part, head, Matrix{{2, 5, 1}, {0, 0, -2}});
  EXPECT_NEAR(novelty[0], -3.0 * 2.0, 1e-6);
  EXPECT_NEAR(novelty[1], -2.0, 1e-6);  // (6, 0, -1) (0, 0, -2)
}

TEST(She, keeps_the_pattern_of_a_class_that_is_not_shown) {
  const GivenHead head = two_classes();
  ToyWork work;
  auto part = make_part<Detector>(Slot::detector, "she");
  part->profile(ClassifiedToy(head, Matrix{{2, 0, 0}}, {1}), work);
  const float before = judged(part, head, Matrix{{3, 1, 0}})[0];
  part->profile(ClassifiedToy(head, Matrix{{9, 9, 9}, {0, 0, -4}}, {1, 2}, {}, 1), work);
  EXPECT_NE(judged(part, head, Matrix{{3, 1, 0}})[0], before);
  part->profile(ClassifiedToy(head, Matrix{{0, 0, -4}, {0, 0, -6}}, {2, 2}, {}, 1), work);
  EXPECT_NEAR(judged(part, head, Matrix{{3, 1, 0}})[0], -36.0, 1e-5);
}

// Class probabilities as they are given in the row.
struct GivenProbabilities final : Classifier {
  void learn(const Experience&, Work&) override {}

  void classify(Evidence& evidence) const override {
    evidence.logits = evidence.features;
    evidence.classes = toy_labels({1, 2, 0});
  }
};

TEST(KlMatching, is_the_least_divergence_from_a_mean_of_probabilities) {
  // Rows taken for class 1 have the mean (0.7, 0.2, 0.1), the one for class 2 (0.1, 0.8, 0.1); the
  // third column is `unknown`.
  const Matrix p{{0.8F, 0.1F, 0.1F}, {0.6F, 0.3F, 0.1F}, {0.1F, 0.8F, 0.1F}};
  const GivenProbabilities given;
  ToyWork work;
  auto part = make_part<Detector>(Slot::detector, "kl_matching");
  part->profile(ClassifiedToy(given, p.array().log(), {1, 2, 2}), work);
  part = reloaded(part, Slot::detector, "kl_matching");
  const auto novelty =
      judged(part, given, Matrix(Matrix{{0.5F, 0.4F, 0.1F}, {0.7F, 0.2F, 0.1F}}.array().log()));
  const double first = 0.5 * std::log(0.5 / 0.7) + 0.4 * std::log(0.4 / 0.2);
  const double second = 0.5 * std::log(0.5 / 0.1) + 0.4 * std::log(0.4 / 0.8);
  EXPECT_NEAR(novelty[0], std::min(first, second), 1e-6);
  EXPECT_NEAR(novelty[1], 0.0, 1e-7);
}

TEST(KlMatching, stays_finite_and_tells_rows_apart_where_a_softmax_is_0_or_1) {
  // Each template has the other class at about e^-900; a row halfway diverges by about 450.
  const GivenProbabilities given;
  ToyWork work;
  auto part = make_part<Detector>(Slot::detector, "kl_matching");
  part->profile(ClassifiedToy(given, Matrix{{900, 0, 0}, {0, 900, 0}}, {1, 2}), work);
  const auto novelty = judged(part, given, Matrix{{900, 0, 0}, {10, 10, 0}, {3, 0, 0}, {4, 0, 0}});
  EXPECT_NEAR(novelty[0], 0.0, 1e-6);
  EXPECT_NEAR(novelty[1], 450.0, 1.0);
  EXPECT_GT(novelty[2], novelty[3]);
  EXPECT_TRUE(std::isfinite(novelty[1]));
}

}  // namespace
}  // namespace tyto
