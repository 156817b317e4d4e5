// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/epoch_history.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;

TEST(EpochHistory, forgets_every_second_epoch_when_they_get_too_many_and_keeps_the_last) {
  EpochHistory history(4);
  for (Index epoch = 0; epoch <= 10; ++epoch) {
    history.add(epoch, Eigen::VectorXd::Constant(2, static_cast<double>(epoch)));
  }
  // 0 1 2 3, with 4: 0 2 4, then 6, with 8: 0 4 8; and the last.
  EXPECT_THAT(history.epochs(), ElementsAre(0, 4, 8, 10));
  EXPECT_EQ(history.values()[1], Eigen::VectorXd::Constant(2, 4.0));
  EpochHistory again(4);
  again.set(history.parameters());
  EXPECT_EQ(again.epochs(), history.epochs());
  EXPECT_EQ(again.values().back(), Eigen::VectorXd::Constant(2, 10.0));
  EpochHistory none(0);
  none.add(0, Eigen::VectorXd::Zero(1));
  EXPECT_TRUE(none.epochs().empty());
}

std::unique_ptr<ScoreCalibrator> fitted_method(const char* name, const char* options,
                                               const CalibrationSet& known) {
  auto method = find_calibrator(name).make(parse_yaml(options, "test.yaml"), name);
  Progress silent;
  Work work{Rng(1, "epochs"), silent};
  method->fit(known, work);
  return method;
}

TEST(ConfidenceByEpoch, of_a_temperature_that_descends_is_worked_by_hand) {
  // Scores (1, 0), right three times of four: the slope by 1/T at T = 1 is e/(1 + e) - 3/4.
  Dense<double> logits(4, 2);
  logits.col(0).setOnes();
  logits.col(1).setZero();
  const std::vector<Index> truth{0, 0, 0, 1};
  const auto method =
      fitted_method("temperature", "{form: descent, steps: 2, rate: 0.5}", {logits, truth});
  EXPECT_THAT(method->epochs(), ElementsAre(0, 1, 2));
  const double first = 1.0 + 0.5 * (std::exp(1.0) / (1.0 + std::exp(1.0)) - 0.75);
  const double p = 1.0 / (1.0 + std::exp(-1.0 / first));
  const double second = first + 0.5 * (p - 0.75) / (first * first);
  Dense<double> asked(1, 2);
  asked << -1.0, 2.0;
  const Dense<double> found = method->confidence_by_epoch(asked);
  ASSERT_EQ(found.cols(), 3);
  EXPECT_NEAR(found(0, 0), 1.0 / (1.0 + std::exp(-3.0)), 1e-12);
  EXPECT_NEAR(found(0, 1), 1.0 / (1.0 + std::exp(-3.0 / first)), 1e-12);
  EXPECT_NEAR(found(0, 2), 1.0 / (1.0 + std::exp(-3.0 / second)), 1e-12);
  // The exact optimum is not trained.
  EXPECT_TRUE(fitted_method("temperature", "{}", {logits, truth})->epochs().empty());
}

// Sure where x is great, and wrong there by halves.
struct Misled {
  Dense<double> logits = Dense<double>::Zero(200, 3), features = Dense<double>(200, 1);
  std::vector<Index> truth;

  Misled() {
    for (Index i = 0; i < 200; ++i) {
      features(i, 0) = i % 2 == 0 ? 0.0 : 1.0;
      logits(i, i % 3) = i % 2 == 0 ? 2.0 : 4.0;
      truth.push_back(i % 4 == 3 ? (i + 1) % 3 : i % 3);
    }
  }
};

TEST(ConfidenceByEpoch, of_caring_ends_at_the_calibrated_scores_and_comes_back_from_its_state) {
  const Misled given;
  const auto method = fitted_method("caring", "{form: paper, epochs: 30, history: 8}",
                                    {given.logits, given.truth, &given.features});
  const std::vector<Index> epochs = method->epochs();
  EXPECT_LE(epochs.size(), 9U);
  EXPECT_EQ(epochs.front(), 0);
  EXPECT_EQ(epochs.back(), 30);
  EXPECT_EQ(method->parameters().at("taken_epoch")(0, 0), 30.0);
  const Dense<double> found = method->confidence_by_epoch(given.logits, &given.features);
  const Dense<double> last =
      score_probabilities(method->apply(given.logits, &given.features)).rowwise().maxCoeff();
  EXPECT_LT((found.rightCols(1) - last).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT((found.col(0) - found.rightCols(1)).cwiseAbs().maxCoeff(), 1e-3) << "it has learned";

  State state;
  method->save(state);
  auto again = find_calibrator("caring").make(
      parse_yaml("{form: paper, epochs: 30, history: 8}", "test.yaml"), "caring");
  again->load(from_archive(to_archive(state), "test"));
  EXPECT_EQ(again->confidence_by_epoch(given.logits, &given.features), found);

  const auto without = fitted_method("caring", "{form: paper, epochs: 30, history: 0}",
                                     {given.logits, given.truth, &given.features});
  EXPECT_TRUE(without->epochs().empty());
  EXPECT_EQ(without->apply(given.logits, &given.features),
            method->apply(given.logits, &given.features));
}

TEST(ConfidenceByEpoch, of_guided_caring_has_the_epoch_that_was_taken) {
  const Misled given;
  const auto method = fitted_method("caring", "{epochs: 40, history: 1000}",
                                    {given.logits, given.truth, &given.features});
  const auto taken = static_cast<Index>(method->parameters().at("taken_epoch")(0, 0));
  const Dense<double> found = method->confidence_by_epoch(given.logits, &given.features);
  const Dense<double> used =
      score_probabilities(method->apply(given.logits, &given.features)).rowwise().maxCoeff();
  ASSERT_GT(taken, 0);
  ASSERT_LT(taken, found.cols());
  EXPECT_LT((found.col(taken) - used).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace tyto
