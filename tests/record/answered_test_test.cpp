// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/foreign/answered_test.hpp"

#include "support/sail_on_wire.hpp"
#include "support/scratch.hpp"
#include <gmock/gmock.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/record/foreign/sail_on_results.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Three known classes, rounds of two; the last sample is of a novel one.
AnsweredTest small_answer() {
  AnsweredTest answered;
  answered.number = 4;
  answered.test.protocol = "OND";
  answered.test.domain = "image_classification";
  answered.test.id = "OND.1";
  answered.test.metadata = R"({"known_classes": 3, "round_size": 2})";
  answered.test.columns = {"id", "detection", "class"};
  answered.test.rows = {{"a", "0", "2"}, {"b", "0", "0"}, {"c", "1", "-5"}};
  answered.detection = "a,0.1\nb,0.2\nc,0.9\n";
  answered.classification = "a,0.1,0.2,0.6,0.1\nb,0.3,0.3,0.3,0.1\nc,0.1,0.2,0.3,0.4\n";
  return answered;
}

std::unique_ptr<MemoryRecord> record_of(const AnsweredTest& answered, Index round_size = 0) {
  return answered_record(std::span(&answered, 1), "system", round_size);
}

std::string refusal(const AnsweredTest& answered) {
  try {
    record_of(answered);
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

TEST(AnsweredTest, is_a_phase_per_round_with_the_last_column_as_unknown) {
  const auto record = record_of(small_answer());
  ASSERT_EQ(record->phases().size(), 2U);
  EXPECT_EQ(record->phases()[1], (PhaseKey{4, "system", "test", 2}));
  const Phase first = record->phase(record->phases()[0]);
  EXPECT_THAT(first.known, ElementsAre("0", "1", "2"));
  EXPECT_EQ(first.decision(0), "2");
  EXPECT_EQ(first.decision(1), "0");  // ties to the first column
  EXPECT_THAT(first.changed, ElementsAre(0.1F, 0.2F));
  EXPECT_THAT(first.p_true, ElementsAre(0.6F, 0.3F));
  EXPECT_FLOAT_EQ(first.novelty[0], 0.4F);
  EXPECT_EQ(first.top.cols(), 4);
  const Phase second = record->phase(record->phases()[1]);
  EXPECT_EQ(second.decision(0), "unknown");
  EXPECT_FLOAT_EQ(second.p_unknown[0], 0.4F);
  EXPECT_FLOAT_EQ(second.p_true[0], 0.0F);
}

TEST(AnsweredTest, truth_tells_test_novelty_and_change_of_each_sample) {
  const auto record = record_of(small_answer());
  const Truth& truth = *record->truth();
  EXPECT_THAT(truth.label, ElementsAre("2", "0", "-5"));
  EXPECT_THAT(truth.annotations.at("test"), ElementsAre("OND.1", "OND.1", "OND.1"));
  EXPECT_THAT(truth.annotations.at("changed"), ElementsAre("0", "0", "1"));
  EXPECT_THAT(truth.annotations.at("novel"), ElementsAre("0", "0", "1"));
}

TEST(AnsweredTest, matches_rows_by_id_and_takes_the_last_of_several) {
  AnsweredTest answered = small_answer();
  answered.classification =
      "c,0.1,0.2,0.3,0.4\nb,1,0,0,0\na,0,0,0,1\n'b',0,0.9,0,0.1\n\"a\",0,0,1,0\n";
  const auto record = record_of(answered, 3);
  const Phase phase = record->phase(record->phases().front());
  EXPECT_EQ(phase.decision(0), "2");
  EXPECT_EQ(phase.decision(1), "1");
  EXPECT_EQ(phase.decision(2), "unknown");
}

TEST(AnsweredTest, a_second_number_of_detection_is_the_novelty_of_the_sample) {
  AnsweredTest answered = small_answer();
  answered.detection = "a,0.1,0.7\nb,0.2,0.6\nc,0.9,1\n";
  const auto record = record_of(answered);
  EXPECT_FLOAT_EQ(record->phase(record->phases()[0]).novelty[0], 0.7F);
}

TEST(AnsweredTest, may_end_early_but_has_no_holes) {
  AnsweredTest answered = small_answer();
  answered.classification = "a,0,0,1,0\n";
  EXPECT_EQ(record_of(answered)->truth()->label.size(), 1U);
  answered.classification = "a,0,0,1,0\nc,0,0,1,0\n";
  EXPECT_THAT(refusal(answered), HasSubstr("sample \"b\" has no row, but \"c\" after it"));
  answered.classification = "";
  EXPECT_TRUE(record_of(answered)->phases().empty());
}

TEST(AnsweredTest, says_what_is_wrong_with_a_row) {
  AnsweredTest answered = small_answer();
  answered.classification = "a,0,0,1,0\nb,0,1,0\n";
  EXPECT_THAT(refusal(answered), HasSubstr("OND.1_classification: line 2 has 3 probabilities"));
  answered.classification = "a\n";
  EXPECT_THAT(refusal(answered), HasSubstr("no probabilities"));
  answered = small_answer();
  answered.detection = "a,0\n";
  EXPECT_THAT(refusal(answered), HasSubstr("OND.1_detection: sample \"b\" has no row"));
  answered = small_answer();
  answered.test.rows[1][1] = "maybe";
  EXPECT_THAT(refusal(answered), HasSubstr("\"maybe\" is neither 0 nor 1"));
  answered = small_answer();
  answered.test.domain = "music";
  EXPECT_THAT(refusal(answered), HasSubstr("no domain is called \"music\""));
}

TEST(AnsweredTest, without_detection_rows_has_no_alarm) {
  AnsweredTest answered = small_answer();
  answered.detection = "";
  const auto record = record_of(answered);
  EXPECT_TRUE(record->phase(record->phases()[0]).changed.empty());
}

TEST(AnsweredTest, two_classes_of_one_name_are_refused) {
  AnsweredTest answered = small_answer();
  answered.test.domain = "activity_recognition";
  answered.test.columns = {"id", "novel", "detection", "class", "annotation_name_1", "value"};
  answered.test.rows = {{"a", "0", "0", "0", "class", "run"}, {"b", "0", "0", "1", "class", "run"}};
  EXPECT_THAT(refusal(answered), HasSubstr("both called \"run\""));
}

TEST(SailOnResults, reads_every_session_of_the_recorded_states) {
  if (!testing_support::has_sail_on_wire()) {
    GTEST_SKIP() << "shared/data/sail_on_wire is not at hand";
  }
  const sail_on::DataFolder data(testing_support::sail_on_wire() / "data");
  const auto read = [&](const char* state) {
    return read_sessions(testing_support::sail_on_wire() / "state" / state, data);
  };
  const auto activity = read("23-evaluate-activity");
  ASSERT_EQ(activity.size(), 2U);
  for (const SailOnSession& session : activity) {
    ASSERT_EQ(session.tests.size(), 1U);
    EXPECT_EQ(session.setting, "system");
    EXPECT_EQ(session.domain, "activity_recognition");
    const auto record = answered_record(session.tests, session.setting);
    EXPECT_EQ(record->phases().size(), 8U);
    EXPECT_EQ(record->truth()->label.size(), 240U);
  }
  const auto given = read("42-client-ond-given");
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given.front().setting, "given");
  const auto condda = read("27-condda-image");
  ASSERT_EQ(condda.size(), 2U);  // one of them has posted a classification alone
  EXPECT_EQ(condda[0].tests.size() + condda[1].tests.size(), 1U);
  EXPECT_EQ(condda[0].left_out.size() + condda[1].left_out.size(), 1U);
  const auto old = read("old-style");
  ASSERT_EQ(old.size(), 1U);
  EXPECT_EQ(old.front().id, "old_style_session");
}

TEST(SailOnResults, numbers_tests_alike_in_all_sessions) {
  if (!testing_support::has_sail_on_wire()) {
    GTEST_SKIP() << "shared/data/sail_on_wire is not at hand";
  }
  const sail_on::DataFolder data(testing_support::sail_on_wire() / "data");
  std::map<std::string, Index> number;
  for (const SailOnSession& session :
       read_sessions(testing_support::sail_on_wire() / "state" / "25-evaluate-edges", data)) {
    for (const AnsweredTest& test : session.tests) {
      EXPECT_EQ(number.try_emplace(test.test.id, test.number).first->second, test.number);
    }
  }
  EXPECT_GT(number.size(), 5U);
}

TEST(SailOnResults, refuses_a_folder_that_is_none_and_a_file_that_is_no_json) {
  const testing_support::Scratch scratch;
  std::filesystem::create_directories(scratch / "data");
  const sail_on::DataFolder data(scratch / "data");
  EXPECT_THROW((void)read_sessions(scratch / "nowhere", data), Error);
  std::filesystem::create_directories(scratch / "results");
  EXPECT_TRUE(read_sessions(scratch / "results", data).empty());
  write_file(scratch / "results" / "s.json", "{");
  EXPECT_THROW((void)read_sessions(scratch / "results", data), Error);
}

}  // namespace
}  // namespace tyto
