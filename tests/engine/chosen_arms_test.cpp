// SPDX-License-Identifier: Apache-2.0
// An experiment that names the arms that run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/engine/run/experiment.hpp"

namespace tyto {
namespace {

namespace chosen_arms {

using testing::ElementsAre;
using testing::HasSubstr;

Experiment with_arms(const std::string& arms) {
  return read_experiment(
      parse_yaml("{name: a, prior_knowledge: none, data: digits, world: {kind: increments}, "
                 "feedback: [0, 0.5, 1], predictors: [ncm, slda]" +
                     arms + "}",
                 "a.yaml"));
}

std::vector<std::string> names(const Experiment& experiment) {
  std::vector<std::string> out;
  for (const Arm& arm : arms_of(experiment)) {
    out.push_back(arm.name);
  }
  return out;
}

std::string refusal(const std::string& arms) {
  try {
    with_arms(arms);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ChosenArms, every_predictor_runs_with_every_budget_unless_named) {
  EXPECT_THAT(names(with_arms("")), ElementsAre("ncm-0pct", "ncm-50pct", "ncm-100pct", "slda-0pct",
                                                "slda-50pct", "slda-100pct"));
}

TEST(ChosenArms, those_named_run_in_the_order_of_predictors_and_survive_being_written) {
  const Experiment chosen = with_arms(", arms: [slda-50pct, ncm-0pct, ncm-100pct]");
  EXPECT_THAT(names(chosen), ElementsAre("ncm-0pct", "ncm-100pct", "slda-50pct"));
  EXPECT_EQ(names(read_experiment(write_experiment(chosen))), names(chosen));
}

TEST(ChosenArms, a_wrong_name_and_a_predictor_without_an_arm_are_refused) {
  EXPECT_THAT(refusal(", arms: [ncm-0pct, slda-50pc]"),
              HasSubstr("arms: there is no \"slda-50pc\" (did you mean \"slda-50pct\"?)"));
  EXPECT_THAT(refusal(", arms: [ncm-0pct]"),
              HasSubstr("none is of the predictor \"slda\"; leave it out of predictors"));
  EXPECT_THAT(refusal(", arms: [ncm-0pct, slda-0pct, ncm-0pct]"),
              HasSubstr("\"ncm-0pct\" stands twice"));
}

}  // namespace chosen_arms

}  // namespace
}  // namespace tyto
