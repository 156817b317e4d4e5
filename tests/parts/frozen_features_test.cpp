// SPDX-License-Identifier: Apache-2.0
// What classifiers of frozen features offer besides their plain forms: the angle with a class mean,
// the released recursion of SLDA, and ridge with balanced classes or its penalty by GCV.
#include "parts/toy_experience.hpp"
#include <Eigen/Dense>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tyto/parts/classifier/ridge_sums.hpp"

namespace tyto {
namespace {

Made<Classifier> classifier(std::string_view name, std::string_view options) {
  return make_part<Classifier>(Slot::classifier, name, options);
}

TEST(CosineNcm, of_a_hand_worked_case) {
  // Means (3, 4) and (0, 2); scatter 4 * 1 over n - k = 2 and two columns: variance 1. The squared
  // lengths 25 and 4 have the mean 14.5, so the logit is 14.5 (cos - 1).
  Matrix rows(4, 2);
  rows << 2, 4, 4, 4, -1, 2, 1, 2;
  ToyWork work;
  const auto ncm = classifier("ncm", "{metric: cosine}");
  EXPECT_FALSE(ncm->has_head() || ncm->has_gradient());
  ncm->learn(ToyExperience(rows, {1, 1, 2, 2}), work);
  Matrix queries(2, 2);
  queries << 4, 3, 0, 0;
  const Matrix logits = classified(*ncm.slot, queries).logits;
  EXPECT_NEAR(logits(0, 0), 14.5 * (24.0 / 25 - 1), 1e-4);
  EXPECT_NEAR(logits(0, 1), 14.5 * (3.0 / 5 - 1), 1e-4);
  EXPECT_NEAR(logits(1, 0), 14.5 * -0.5, 1e-4);  // zeros stay zeros: half a squared unit away
}

TEST(CosineNcm, names_the_class_of_the_least_angle_whatever_the_length) {
  const ToyClasses toy(5, 20, 6, 41);
  ToyWork work;
  const auto ncm = classifier("ncm", "{metric: cosine}");
  ncm->learn(ToyExperience(toy.features, toy.labels), work);
  Eigen::MatrixXd means = Eigen::MatrixXd::Zero(5, 6);
  for (Index i = 0; i < 100; ++i) {
    means.row(i % 5) += toy.features.row(i).cast<double>();
  }
  const Matrix queries = random_rows(50, 6, 42);
  const Matrix logits = classified(*ncm.slot, queries).logits;
  const Matrix longer = classified(*ncm.slot, queries * 100.0F).logits;
  EXPECT_LT((logits - longer).cwiseAbs().maxCoeff(), 1e-3);
  for (Index i = 0; i < 50; ++i) {
    Index direct = 0;
    Index best = 0;
    const Eigen::VectorXd x = queries.row(i).cast<double>().transpose();
    (means.rowwise().normalized() * x).maxCoeff(&direct);
    logits.row(i).maxCoeff(&best);
    EXPECT_EQ(best, direct);
  }
}

TEST(ReleasedSlda, equals_the_recursion_sample_by_sample) {
  const ToyClasses toy(3, 15, 4, 43);
  const double e = 1e-4;
  Eigen::MatrixXd sigma = Eigen::MatrixXd::Zero(4, 4);
  Eigen::MatrixXd means = Eigen::MatrixXd::Zero(4, 3);
  std::vector<double> seen(3, 0.0);
  double t = 0;
  for (Index i = 0; i < 45; ++i) {
    const Eigen::VectorXd z = toy.features.row(i).cast<double>().transpose();
    const auto y = i % 3;
    const Eigen::VectorXd step = z - means.col(y);
    sigma = (t * sigma + t / (t + 1) * step * step.transpose()) / (t + 1);
    means.col(y) += step / (seen[static_cast<std::size_t>(y)] + 1);
    seen[static_cast<std::size_t>(y)] += 1;
    t += 1;
  }
  const Eigen::MatrixXd lambda = ((1 - e) * sigma + e * Eigen::MatrixXd::Identity(4, 4)).inverse();
  const Eigen::MatrixXd w = lambda * means;
  ToyWork work;
  auto slda = classifier("slda", "{form: released}");
  slda->learn(
      ToyExperience(toy.features.topRows(20), {toy.labels.begin(), toy.labels.begin() + 20}), work);
  slda = reloaded(slda, Slot::classifier, "slda", "{form: released}");
  ToyExperience rest(toy.features.bottomRows(25), {toy.labels.begin() + 20, toy.labels.end()});
  rest.starts_over_ = false;
  slda->learn(rest, work);
  const Matrix logits = classified(*slda.slot, toy.features).logits;
  for (Index i = 0; i < 45; ++i) {
    for (Index c = 0; c < 3; ++c) {
      const double direct = w.col(c).dot(toy.features.row(i).cast<double>().transpose()) -
                            0.5 * w.col(c).dot(means.col(c));
      EXPECT_NEAR(logits(i, c), direct, 1e-3 * std::max(1.0, std::abs(direct)));
    }
  }
}

TEST(ReleasedSlda, counts_the_first_sample_of_a_class_with_its_raw_outer_product) {
  // 1 of class 1, then 3 of class 2: nothing of the first, 1/2 * 9 of the second, over 2 samples.
  Matrix rows(2, 1);
  rows << 1, 3;
  ToyWork work;
  const auto slda = classifier("slda", "{form: released, shrinkage: 0.5}");
  slda->learn(ToyExperience(rows, {1, 2}), work);
  const double lambda = 1.0 / (0.5 * 2.25 + 0.5);
  const Matrix logits = classified(*slda.slot, Matrix::Constant(1, 1, 2.0F)).logits;
  EXPECT_NEAR(logits(0, 0), lambda * (1 * 2 - 0.5), 1e-5);
  EXPECT_NEAR(logits(0, 1), lambda * (3 * 2 - 4.5), 1e-5);
}

struct Regression {  // rows with ones behind, weighted, solved directly in double
  Eigen::MatrixXd h, y;

  Regression(const Matrix& rows, const std::vector<int>& labels, int classes)
      : h(rows.rows(), rows.cols() + 1), y(Eigen::MatrixXd::Zero(rows.rows(), classes)) {
    h << rows.cast<double>(), Eigen::VectorXd::Ones(rows.rows());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      y(static_cast<Index>(i), labels[i] - 1) = 1;
    }
  }

  [[nodiscard]] Eigen::MatrixXd weights(double strength, const Eigen::VectorXd& weight) const {
    const Eigen::MatrixXd weighted = weight.asDiagonal() * h;
    const Eigen::MatrixXd gram =
        h.transpose() * weighted + strength * Eigen::MatrixXd::Identity(h.cols(), h.cols());
    return gram.ldlt().solve(weighted.transpose() * y);
  }
};

TEST(BalancedRidge, weighs_samples_by_the_size_of_their_class_where_spreads_are_equal) {
  // Class 1 comes three times as often, each time with the same rows about its mean: one spread.
  const Matrix shape = random_rows(12, 3, 44);
  Matrix rows(48, 3);
  std::vector<int> labels;
  for (Index i = 0; i < 48; ++i) {
    const bool second = i >= 36;
    rows.row(i) = shape.row(i % 12).array() + (second ? 2.0F : 0.0F);
    labels.push_back(second ? 2 : 1);
  }
  Eigen::VectorXd weight = Eigen::VectorXd::Constant(48, 48.0 / (2 * 36));
  weight.tail(12).setConstant(48.0 / (2 * 12));
  const Regression direct(rows, labels, 2);
  const Matrix expected = (direct.h * direct.weights(1.5, weight)).cast<float>();
  ToyWork work;
  const auto ridge =
      classifier("ridge", "{projection: 0, strength: 1.5, scale: 1, balance: classes}");
  ridge->learn(ToyExperience(rows, labels), work);
  const Matrix got = classified(*ridge.slot, rows).logits;
  EXPECT_LT((got - expected).cwiseAbs().maxCoeff(), 1e-5);
  const auto plain = classifier("ridge", "{projection: 0, strength: 1.5, scale: 1}");
  plain->learn(ToyExperience(rows, labels), work);
  EXPECT_GT((got - classified(*plain.slot, rows).logits).cwiseAbs().maxCoeff(), 0.01);
}

TEST(BalancedRidge, changes_nothing_where_classes_have_one_size) {
  const ToyClasses toy(3, 20, 5, 45);
  Matrix logits[2];
  for (const bool balanced : {false, true}) {
    ToyWork work;
    const auto ridge = classifier("ridge", fmt::format("{{projection: 20, scale: 1, balance: {}}}",
                                                       balanced ? "classes" : "samples"));
    ridge->learn(ToyExperience(toy.features, toy.labels), work);
    logits[balanced ? 1 : 0] = classified(*ridge.slot, toy.features).logits;
  }
  EXPECT_LT((logits[0] - logits[1]).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(LeastGcv, is_that_of_the_formula) {
  const ToyClasses toy(3, 40, 12, 46, 0.4);
  const Regression direct(toy.features, toy.labels, 3);
  RidgeSums sums;
  sums.add(direct.h.cast<float>(), toy_labels(toy.labels));
  const std::vector<double> strengths{1e5, 1e4, 1e3, 1e2, 10, 1, 0.1, 0.01};
  double best = 0;
  double least = 0;
  for (const double strength : strengths) {
    const Eigen::MatrixXd gram = direct.h.transpose() * direct.h;
    const Eigen::MatrixXd hat = direct.h *
                                (gram + strength * Eigen::MatrixXd::Identity(13, 13)).inverse() *
                                direct.h.transpose();
    const double residual = (direct.y - hat * direct.y).squaredNorm();
    const double error = residual / std::pow(120.0 - hat.trace(), 2);
    if (best == 0 || error < least) {
      best = strength;
      least = error;
    }
  }
  EXPECT_GT(best, 0.1);  // neither end: the test would see a formula turned round
  EXPECT_LT(best, 1e5);
  EXPECT_EQ(least_gcv(sums, sums.targets(sums.classes()), strengths), best);
}

TEST(LeastGcv, leaves_penalties_aside_that_leave_no_freedom) {
  const Matrix rows = random_rows(10, 30, 47);  // a weak penalty fits all ten exactly
  RidgeSums sums;
  sums.add(rows, toy_labels({1, 2, 1, 2, 1, 2, 1, 2, 1, 2}));
  const std::vector<double> strengths{100, 1e-7, 1e-8};
  EXPECT_EQ(least_gcv(sums, sums.targets(sums.classes()), strengths), 100);
  EXPECT_EQ(least_gcv(sums, sums.targets(sums.classes()), std::vector<double>{1e-8}), 1e-8);
}

TEST(GcvRidge, does_not_look_at_held_out_samples) {
  const ToyClasses toy(3, 30, 5, 48, 0.5);
  std::vector<Role> roles;
  std::vector<int> lies = toy.labels;
  for (std::size_t i = 0; i < 90; ++i) {
    roles.push_back(i % 3 == 0 ? Role::hold : Role::fit);
    lies[i] = i % 3 == 0 ? 1 : lies[i];
  }
  Matrix logits[2];
  for (const bool lied : {false, true}) {
    ToyWork work;
    const auto ridge = classifier("ridge", "{projection: 0, choose: gcv, scale: 1}");
    ridge->learn(ToyExperience(toy.features, lied ? lies : toy.labels, roles), work);
    logits[lied ? 1 : 0] = classified(*ridge.slot, toy.features).logits;
  }
  EXPECT_EQ(logits[0], logits[1]);
}

}  // namespace
}  // namespace tyto
