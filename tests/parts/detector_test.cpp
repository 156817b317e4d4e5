// SPDX-License-Identifier: Apache-2.0
#include "parts/toy_experience.hpp"
#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "tyto/math/covariance.hpp"

namespace tyto {
namespace {

constexpr Slot kDetects = Slot::detector;

Evidence three_columns() {
  Evidence evidence = toy_evidence(Matrix::Zero(2, 1));
  evidence.classes = toy_labels({1, 0, 2});  // the middle one is `unknown`
  evidence.probability.resize(2, 3);
  evidence.probability << 0.2F, 0.7F, 0.1F, 0.5F, 0.1F, 0.4F;
  evidence.logits.resize(2, 3);
  evidence.logits << 1, 9, 3, -2, 9, -4;
  return evidence;
}

std::vector<float> novelty_of(std::string_view name, Evidence evidence,
                              std::string_view options = "{}") {
  make_part<Detector>(kDetects, name, options)->detect(evidence);
  return evidence.novelty;
}

TEST(SoftmaxDetector, leaves_the_unknown_column_aside_and_reads_no_calibrated_belief) {
  Evidence evidence = three_columns();
  evidence.logits = evidence.probability.array().log();
  evidence.probability.setConstant(1.0F / 3.0F);
  const auto novelty = novelty_of("softmax", evidence);
  EXPECT_NEAR(novelty[0], 0.8, 1e-6);
  EXPECT_NEAR(novelty[1], 0.5, 1e-6);
}

TEST(MaxLogit, leaves_the_unknown_column_aside) {
  EXPECT_EQ(novelty_of("max_logit", three_columns()), (std::vector<float>{-3, 2}));
}

TEST(Energy, of_a_hand_worked_case) {
  const auto novelty = novelty_of("energy", three_columns(), "{temperature: 2}");
  EXPECT_NEAR(novelty[0], -2.0 * std::log(std::exp(0.5) + std::exp(1.5)), 1e-5);
  EXPECT_NEAR(novelty[1], -2.0 * std::log(std::exp(-1.0) + std::exp(-2.0)), 1e-5);
}

TEST(LogitDetectors, say_that_they_need_a_known_class) {
  Evidence evidence = toy_evidence(Matrix::Zero(1, 1));
  evidence.classes = toy_labels({0});
  evidence.logits = evidence.probability = Matrix::Ones(1, 1);
  for (const char* name : {"softmax", "max_logit", "energy"}) {
    EXPECT_TRUE(make_part<Detector>(kDetects, name).part->needs().classifier);
    EXPECT_THROW(novelty_of(name, evidence), Error);
  }
}

struct FixedNeighbourhood final : Neighbourhood {
  explicit FixedNeighbourhood(Neighbours neighbours) : found(std::move(neighbours)) {}

  const Neighbours& remembered() override { return found; }

  std::span<const Label> remembered_labels() override { return {}; }

  const Neighbours& rivals() override { return found; }

  const Neighbours& batch() override { return found; }

  Neighbours found;
};

TEST(Knn, takes_the_kth_of_the_neighbours_or_the_last_there_is) {
  Matrix queries(2, 1);
  queries << 0, 10;
  Matrix references(3, 1);
  references << 1, 3, 6;
  Evidence evidence = toy_evidence(queries);
  evidence.near = std::make_shared<FixedNeighbourhood>(nearest_rows(queries, references, 3));
  EXPECT_EQ(make_part<Detector>(kDetects, "knn", "{k: 2}").part->needs().neighbours, 2);
  EXPECT_EQ(novelty_of("knn", evidence, "{k: 2}"), (std::vector<float>{3, 7}));
  EXPECT_EQ(novelty_of("knn", evidence, "{k: 50}"), (std::vector<float>{6, 9}));
  evidence.near =
      std::make_shared<FixedNeighbourhood>(NearestK(queries, 3).result());  // nothing remembered
  EXPECT_THROW(novelty_of("knn", evidence), Error);
}

TEST(Mahalanobis, equals_the_direct_formula) {
  const ToyClasses toy(4, 40, 6, 31);
  ToyWork work;
  auto part = make_part<Detector>(kDetects, "mahalanobis", "{shrinkage: 0.2}");
  part->profile(ToyExperience(toy.features, toy.labels), work);
  Evidence evidence = toy_evidence(random_rows(25, 6, 32, 1.0));
  part->detect(evidence);

  ClassStatistics statistics(Scatter::full);
  statistics.add(toy.features, std::vector<std::int32_t>(toy.labels.begin(), toy.labels.end()));
  const Eigen::MatrixXd inverse = shrunk_covariance(statistics, 0.2).inverse();
  const Dense<double> means = statistics.means();
  for (Index i = 0; i < 25; ++i) {
    double least = 1e9;
    for (Index c = 0; c < 4; ++c) {
      const Eigen::RowVectorXd off = evidence.features.row(i).cast<double>() - means.row(c);
      least = std::min(least, off.dot(off * inverse));
    }
    EXPECT_NEAR(evidence.novelty[static_cast<std::size_t>(i)], std::sqrt(least), 1e-3);
  }
}

TEST(Mahalanobis, of_a_hand_worked_case) {
  Matrix rows(4, 1);
  rows << 0, 2, 10, 12;  // means 1 and 11, variance 2
  ToyWork work;
  auto part = make_part<Detector>(kDetects, "mahalanobis");
  part->profile(ToyExperience(rows, {1, 1, 2, 2}), work);
  Evidence evidence = toy_evidence(Matrix::Constant(1, 1, 5.0F));
  part->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], 4.0 / std::sqrt(2.0), 1e-5);
}

TEST(Mahalanobis, streams_and_survives_save_and_load) {
  const ToyClasses toy(3, 30, 5, 33);
  ToyWork work;
  auto once = make_part<Detector>(kDetects, "mahalanobis");
  once->profile(ToyExperience(toy.features, toy.labels), work);
  auto pieces = make_part<Detector>(kDetects, "mahalanobis");
  pieces->profile(
      ToyExperience(toy.features.topRows(40), {toy.labels.begin(), toy.labels.begin() + 40}), work);
  pieces = reloaded(pieces, kDetects, "mahalanobis");
  pieces->profile(ToyExperience(toy.features, toy.labels, {}, 40), work);
  const auto last = reloaded(pieces, kDetects, "mahalanobis");
  Evidence a = toy_evidence(random_rows(30, 5, 34));
  Evidence b = a;
  Evidence c = a;
  once->detect(a);
  pieces->detect(b);
  last->detect(c);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_NEAR(a.novelty[i], b.novelty[i], 1e-4);
  }
  EXPECT_EQ(b.novelty, c.novelty);
}

TEST(Mahalanobis, is_finite_in_hard_cases_and_refuses_before_its_first_lesson) {
  ToyWork work;
  auto part = make_part<Detector>(kDetects, "mahalanobis");
  Evidence evidence = toy_evidence(random_rows(3, 40, 35));
  EXPECT_THROW(part->detect(evidence), Error);
  part->profile(ToyExperience(random_rows(4, 40, 36), {1, 1, 2, 3}), work);  // d > n, singletons
  part->detect(evidence);
  EXPECT_TRUE(std::isfinite(evidence.novelty[0]));
  part->profile(ToyExperience(Matrix::Ones(4, 40), {1, 1, 2, 2}), work);  // no spread at all
  part->detect(evidence);
  EXPECT_NEAR(evidence.novelty[0], (evidence.features.row(0).array() - 1.0F).matrix().norm(), 1e-4);
}

TEST(Always, takes_everything_for_new) {
  EXPECT_EQ(novelty_of("always", toy_evidence(Matrix::Zero(2, 1))), (std::vector<float>{1, 1}));
  EXPECT_EQ(make_part<Detector>(kDetects, "always")->own_threshold(), 0.0F);
  EXPECT_EQ(make_part<Detector>(kDetects, "softmax")->own_threshold(), std::nullopt);
}

}  // namespace
}  // namespace tyto
