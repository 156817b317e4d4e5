// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/released_evaluation.hpp"

#include <cmath>

#include "support/sail_on_wire.hpp"
#include <gmock/gmock.h>

#include "tyto/core/error.hpp"
#include "tyto/sail_on/released_input.hpp"

namespace tyto::sail_on {

namespace {

using testing::HasSubstr;

// Two known classes and the unknown one; the truth is 0, 0, 1, then novel ones of column 2.
ReleasedInput small_input() {
  ReleasedInput input;
  input.changed = {0.1, 0.2, 0.3, 0.5, 0.9};
  input.novel = {0, 0, 0, 1, 1};
  input.label = {0, 0, 1, 2, 2};
  input.probability.resize(5, 3);
  input.probability << 0.8, 0.1, 0.1,  // right
      0.2, 0.7, 0.1,                   // second
      0.1, 0.8, 0.1,                   // right
      0.4, 0.4, 0.2,                   // third
      0.1, 0.1, 0.8;                   // right
  return input;
}

double number(const ReleasedObject& object, const std::string& key) {
  const ReleasedValue& value = object.at(key);
  return std::holds_alternative<double>(value) ? std::get<double>(value)
                                               : static_cast<double>(std::get<std::int64_t>(value));
}

std::string refusal(const ReleasedInput& input) {
  try {
    released_objects(input);
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

struct WireEvaluation {
  std::string wire_case, session, test;  // session as the case calls it
};

std::vector<WireEvaluation> wire_evaluations() {
  std::vector<WireEvaluation> all;
  if (!testing_support::has_sail_on_wire()) {
    return all;
  }
  for (const auto& entry :
       std::filesystem::directory_iterator(testing_support::sail_on_wire() / "evaluations")) {
    const std::string name = entry.path().stem().string();  // case.S.OND.1.1.2007
    const auto first = name.find('.'), second = name.find('.', first + 1);
    all.push_back({name.substr(0, first), name.substr(first + 1, second - first - 1),
                   name.substr(second + 1)});
  }
  return all;
}

ReleasedInput wire_input(const WireEvaluation& one, const nlohmann::json& wire_case) {
  const auto posts = testing_support::wire_posts(
      one.wire_case, wire_case["sessions"][one.session].get<std::string>(), one.test);
  return released_input(testing_support::wire_test(posts.domain, one.test),
                        posts.text.at("detection"), posts.text.at("classification"));
}

}  // namespace

TEST(ReleasedEvaluation, counts_the_first_novel_row_as_before_the_change) {
  const auto objects = released_objects(small_input());
  const ReleasedObject& accuracy = objects.at("m_acc");
  EXPECT_EQ(number(accuracy, "full_top1"), 0.6);
  EXPECT_EQ(number(accuracy, "pre_top1"), 0.5);  // rows 1 to 4: two right
  EXPECT_EQ(number(accuracy, "post_top1"), 1.0);
  EXPECT_EQ(number(accuracy, "pre_top3"), 1.0);
  EXPECT_TRUE(std::isnan(number(accuracy, "pre_mean_top1")));  // fewer than 100 rows
}

TEST(ReleasedEvaluation, finds_positions_at_the_threshold_and_counts_above_it) {
  const auto objects = released_objects(small_input());
  EXPECT_EQ(number(objects.at("m_num_stats"), "GT_indx"), 4);
  EXPECT_EQ(number(objects.at("m_num_stats"), "P_indx_0.5"), 4);  // 0.5 >= 0.5
  EXPECT_EQ(number(objects.at("m_num"), "0.5"), 1);
  EXPECT_EQ(number(objects.at("m_ndp"), "TP_0.5"), 1);  // 0.9 > 0.5 alone
  EXPECT_EQ(number(objects.at("m_ndp"), "FN_0.5"), 1);
  EXPECT_EQ(number(objects.at("m_ndp_pre"), "TN_0.5"), 3);
}

TEST(ReleasedEvaluation, calls_a_detection_that_never_comes_one_sample_late) {
  ReleasedInput input = small_input();
  input.changed = {0, 0, 0, 0, 0};
  const auto objects = released_objects(input);
  EXPECT_EQ(number(objects.at("m_num"), "0.5"), 1);
  EXPECT_EQ(number(objects.at("m_num_stats"), "P_indx_0.5"), 6);
  EXPECT_FALSE(std::get<bool>(objects.at("m_is_cdt_and_is_early").at("Is CDT")));
}

TEST(ReleasedEvaluation, does_not_count_a_detection_at_the_last_row) {
  ReleasedInput input = small_input();
  input.changed = {0, 0, 0, 0, 1};
  EXPECT_FALSE(std::get<bool>(released_objects(input).at("m_is_cdt_and_is_early").at("Is CDT")));
  input.changed = {0, 0, 0, 1, 1};
  EXPECT_TRUE(std::get<bool>(released_objects(input).at("m_is_cdt_and_is_early").at("Is CDT")));
}

TEST(ReleasedEvaluation, takes_the_threshold_of_the_metadata_only_if_it_is_on_the_list) {
  ReleasedInput input = small_input();
  input.changed = {0.1, 0.1, 0.35, 0.6, 0.9};
  const auto is_early = [&](const std::string& threshold, bool is_transcripts) {
    input.threshold = threshold;
    input.is_transcripts = is_transcripts;
    return std::get<bool>(released_objects(input).at("m_is_cdt_and_is_early").at("Is Early"));
  };
  EXPECT_FALSE(is_early("", false));
  EXPECT_TRUE(is_early("0.3", false));
  EXPECT_FALSE(is_early("0.30", false));  // compared as text
  EXPECT_TRUE(is_early("", true));
  EXPECT_FALSE(is_early("0.6", true));
}

TEST(ReleasedEvaluation, has_a_value_for_one_row_and_for_no_novelty) {
  ReleasedInput input;
  input.changed = {0.2};
  input.novel = {0};
  input.label = {0};
  input.probability = Dense<double>::Ones(1, 1);
  const auto objects = released_objects(input);
  EXPECT_EQ(number(objects.at("m_acc"), "full_top1"), 1.0);
  EXPECT_EQ(number(objects.at("m_acc"), "post_top1"), -1);
  EXPECT_EQ(number(objects.at("m_num"), "0.9"), -1);
  EXPECT_EQ(number(objects.at("m_ndp_post"), "TP_0.9"), -1);
  EXPECT_EQ(number(objects.at("m_acc_failed"), "top1_accuracy"), -1);  // nothing failed
}

TEST(ReleasedEvaluation, says_which_rule_is_broken) {
  EXPECT_EQ(refusal(small_input()), "");
  ReleasedInput input = small_input();
  input.changed.pop_back();
  EXPECT_EQ(refusal(input), "detection has 4 rows, the test has 5");
  input = small_input();
  input.changed[2] = 1.5;
  EXPECT_THAT(refusal(input), HasSubstr("detection: row 3"));
  input = small_input();
  input.novel[0] = 2;
  EXPECT_THAT(refusal(input), HasSubstr("novel must be 0 or 1, not 2"));
  input = small_input();
  input.probability(1, 2) = -0.1;
  EXPECT_THAT(refusal(input), HasSubstr("classification: row 2, column 4"));
  input = small_input();
  input.label[4] = 3;
  EXPECT_THAT(refusal(input), HasSubstr("class 3"));
  input = small_input();
  input.label.assign(5, -1);
  EXPECT_THAT(refusal(input), HasSubstr("negative"));
  EXPECT_THAT(refusal({}), HasSubstr("no rows"));
}

TEST(ReleasedEvaluation, accuracy_on_novel_and_by_round_look_at_their_rows_alone) {
  const ReleasedInput input = small_input();
  EXPECT_EQ(released_accuracy_on_novel(input).top1, 0.5);
  EXPECT_EQ(released_accuracy_on_novel(input).top3, 1.0);
  const auto rounds = released_accuracy_by_round(input, 2);
  ASSERT_EQ(rounds.size(), 3U);
  EXPECT_EQ(rounds[0].top1, 0.5);
  EXPECT_EQ(rounds[2].top1, 1.0);  // the short one
  ReleasedInput none = input;
  none.novel.assign(5, 0);
  EXPECT_EQ(released_accuracy_on_novel(none).top1, -1.0);
  EXPECT_THROW((void)released_accuracy_by_round(input, 0), Error);
}

TEST(ReleasedEvaluation, nrp_is_after_of_the_agent_over_before_of_the_baseline) {
  const ReleasedObject agent{{"post_top1", 0.3}, {"post_top3", 0.6}};
  EXPECT_DOUBLE_EQ(released_nrp(agent, {{"pre_top1", 0.6}, {"pre_top3", 0.6}}).top1, 50.0);
  EXPECT_THROW((void)released_nrp(agent, {{"pre_top1", 0.0}, {"pre_top3", 0.6}}), Error);
  EXPECT_THROW((void)released_nrp(agent, {{"pre_top1", 0.6}}), Error);
}

TEST(ReleasedEvaluation, prints_numbers_as_python_does) {
  EXPECT_EQ(python_number(1.0), "1.0");
  EXPECT_EQ(python_number(0.07812), "0.07812");
  EXPECT_EQ(python_number(1e-05), "1e-05");
  EXPECT_EQ(python_number(1e16), "1e+16");
  EXPECT_EQ(python_number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(python_number(std::nan("")), "NaN");
}

TEST(ReleasedEvaluation, equals_the_public_server_on_every_recorded_evaluation) {
  if (!testing_support::has_sail_on_wire()) {
    GTEST_SKIP() << "shared/data/sail_on_wire is not at hand";
  }
  const auto all = wire_evaluations();
  EXPECT_EQ(all.size(), 19U);
  for (const WireEvaluation& one : all) {
    SCOPED_TRACE(one.wire_case + " " + one.session + " " + one.test);
    const auto wire_case =
        nlohmann::json::parse(testing_support::wire_text("cases/" + one.wire_case + ".json"));
    const auto expected = nlohmann::json::parse(testing_support::wire_text(
        "evaluations/" + one.wire_case + "." + one.session + "." + one.test + ".json"));
    const auto objects = released_objects(wire_input(one, wire_case));
    ASSERT_EQ(objects.size(), expected.size());
    for (const auto& [name, object] : objects) {
      const auto& wanted = expected.at(name);
      ASSERT_EQ(object.size(), wanted.size()) << name;
      for (const auto& [key, value] : object) {
        const auto& want = wanted.at(key);
        if (std::holds_alternative<bool>(value)) {
          EXPECT_EQ(std::get<bool>(value), want.get<bool>()) << key;
        } else if (want.is_null()) {
          EXPECT_TRUE(std::isnan(number(object, key))) << key;
        } else if (key.find("_std_") != key.npos) {
          EXPECT_NEAR(number(object, key), want.get<double>(), 1e-12) << key;
        } else {
          EXPECT_EQ(number(object, key), want.get<double>()) << name << " " << key;
        }
      }
    }
  }
}

TEST(ReleasedEvaluation, writes_the_same_bytes_as_the_public_server) {
  if (!testing_support::has_sail_on_wire()) {
    GTEST_SKIP() << "shared/data/sail_on_wire is not at hand";
  }
  for (const WireEvaluation& one : wire_evaluations()) {
    SCOPED_TRACE(one.wire_case + " " + one.session + " " + one.test);
    const auto wire_case =
        nlohmann::json::parse(testing_support::wire_text("cases/" + one.wire_case + ".json"));
    const std::string text = evaluate_released(wire_input(one, wire_case)) + "\n";
    int answers = 0;
    for (const auto& step : wire_case["steps"]) {
      const std::string target = step["request"]["target"];
      if (target.starts_with("/session/evaluations") &&
          target.find("{" + one.session + "}") != target.npos &&
          target.find(one.test) != target.npos && step["response"]["status"] == 200) {
        ++answers;
        EXPECT_EQ(text, step["response"]["body"].get<std::string>());
      }
    }
    EXPECT_GT(answers, 0);
  }
}

}  // namespace tyto::sail_on
