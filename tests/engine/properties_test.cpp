// SPDX-License-Identifier: Apache-2.0
// What properties.json tells of a choice that a predictor made.
#include "tyto/engine/arm/properties.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/config.hpp"

namespace tyto::properties_test {
namespace {

nlohmann::json complexity_of(const Properties& properties) {
  const PredictorConfig config =
      read_predictor(parse_yaml("{name: p, classifier: ncm}", "test.yaml"), "p");
  return nlohmann::json::parse(properties.to_json(config, "none")).at("complexity");
}

Properties after_steps(const std::vector<std::string>& chosen) {
  Properties properties;
  for (std::size_t step = 0; step < chosen.size(); ++step) {
    Notes notes;
    notes.representation = chosen[step];
    properties.add(static_cast<Index>(step), notes, LabelSpace(), State(), {});
  }
  return properties;
}

TEST(Properties, tell_the_representation_that_was_chosen_step_by_step) {
  const std::vector<std::string> chosen{"whiten", "whiten", "l2"};
  const Properties properties = after_steps(chosen);
  EXPECT_EQ(complexity_of(properties).at("representation"), chosen);

  State state;
  properties.save(state);
  Properties again;
  again.load(state);
  EXPECT_EQ(complexity_of(again).at("representation"), chosen);
}

TEST(Properties, tell_none_where_there_was_no_choice) {
  EXPECT_FALSE(complexity_of(after_steps({"", ""})).contains("representation"));
}

TEST(Properties, of_a_state_from_before_have_none) {
  State state;
  after_steps({"", ""}).save(state);
  state.values.erase("representation");
  Properties again;
  again.load(state);
  EXPECT_FALSE(complexity_of(again).contains("representation"));
}

}  // namespace
}  // namespace tyto::properties_test
