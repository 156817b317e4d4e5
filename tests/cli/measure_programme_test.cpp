// SPDX-License-Identifier: Apache-2.0
// tyto measure --sail-on as an evaluator runs it.
#include "support/program.hpp"
#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;

class MeasureSailOn : public testing::Test {
 protected:
  Scratch scratch;

  // Two tests of six samples with two known classes; the red light is the fourth sample. The agent
  // declares it one sample late in the first test and never in the second.
  void SetUp() override {
    for (const std::string id : {"OND.1.1.1", "OND.1.1.2"}) {
      const auto stem = scratch.path() / "data" / "OND" / "image_classification" / id;
      make_folder(stem.parent_path());
      write_file(stem.string() + "_metadata.json",
                 R"({"protocol": "OND", "known_classes": 2, "round_size": 3, "threshold": 0.5})");
      write_file(stem.string() + "_single_df.csv",
                 "id,detection,class\na,0,0\nb,0,1\nc,0,1\nd,1,-5\ne,1,0\nf,1,2\n");
    }
    const std::string right = "a,1,0,0\nb,0,1,0\nc,0,1,0\nd,0,0,1\ne,1,0,0\nf,0,0,1\n";
    const std::string half = "a,1,0,0\nb,0,1,0\nc,1,0,0\nd,1,0,0\ne,1,0,0\nf,1,0,0\n";
    add_session("agent", "[]");
    add_session("base", "[]");
    const std::string late = "a,0\nb,0\nc,0\nd,0.4\ne,0.9\nf,0.9\n";
    const std::string never = "a,0\nb,0\nc,0\nd,0\ne,0\nf,0\n";
    post("agent", "OND.1.1.1", late, right);
    post("agent", "OND.1.1.2", never, right);
    post("base", "OND.1.1.1", never, half);
    post("base", "OND.1.1.2", never, half);
  }

  void add_session(const std::string& id, const std::string& hints) const {
    make_folder(scratch / "results");
    write_file(scratch / "results" / (id + ".json"),
               R"({"created": {"time": ["t"], "protocol": "OND", "domain": "image_classification",
                   "detector": "Some-1", "detection_threshold": 0.5, "hints": )" +
                   hints + "}}");
    write_file(scratch / "results" / (id + ".OND.1.1.1.json"), "{}");
  }

  void post(const std::string& session, const std::string& test, const std::string& detection,
            const std::string& classification) const {
    const auto folder = scratch.path() / "results" / "OND" / "image_classification";
    make_folder(folder);
    write_file(folder / (session + "." + test + "_detection.csv"), detection);
    write_file(folder / (session + "." + test + "_classification.csv"), classification);
  }

  Outcome tyto(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "measure");
    return run_program(arguments, {scratch.path(), {}, RLIM_INFINITY, ""});
  }
};

TEST_F(MeasureSailOn, tells_of_every_test_and_over_tests) {
  const Outcome outcome = tyto({"--sail-on", "results", "--data", "data"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("agent (Some-1), system detection"));
  EXPECT_THAT(outcome.out, HasSubstr("base (Some-1), system detection"));
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("OND.1.1.1 +6 +4 +5 +1 +1.000 +1.000 +1.000 +1.000 +1.000"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("change_detected +M2 +2 +0.500"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("change_detection_delay +M1 +1 +1.000 +- +-"));
}

TEST_F(MeasureSailOn, measures_against_a_session) {
  const Outcome outcome =
      tyto({"--sail-on", "results", "--data", "data", "--baseline", "base", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto answer = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(answer.size(), 2U);
  std::map<std::string, double> over;
  for (const auto& row : answer[0]["over_tests"]) {
    if (row["value"].is_number()) {
      over[row["programme"].get<std::string>()] = row["value"];
    }
  }
  EXPECT_DOUBLE_EQ(over.at("M1"), 1.0);
  EXPECT_DOUBLE_EQ(over.at("M2"), 0.5);
  EXPECT_DOUBLE_EQ(over.at("M2.1"), 0.0);
  EXPECT_DOUBLE_EQ(over.at("M3"), 1.5);             // 1 / (2 / 3)
  EXPECT_DOUBLE_EQ(over.at("M5"), 0.75);            // 1 / (1 + 1 / 3)
  EXPECT_DOUBLE_EQ(over.at("M6"), 3.0);             // 2 / (2 / 3)
  EXPECT_EQ(answer[0]["tests"][0]["declared"], 4);  // from 0
  EXPECT_TRUE(answer[0]["tests"][1]["change_detection_delay"].is_null());
}

TEST_F(MeasureSailOn, calls_a_session_that_was_told_the_red_light_given) {
  add_session("told", R"(["red_light"])");
  post("told", "OND.1.1.1", "a,0\nb,0\nc,0\nd,1\ne,1\nf,1\n",
       "a,1,0,0\nb,0,1,0\nc,0,1,0\nd,0,0,1\ne,1,0,0\nf,0,0,1\n");
  const Outcome outcome = tyto({"--sail-on", "results", "--data", "data", "--baseline", "base"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("told (Some-1), given detection"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("nrp +M4 +1 +1.500"));
}

TEST_F(MeasureSailOn, gives_the_objects_of_the_public_server_when_asked) {
  const Outcome text = tyto({"--sail-on", "results", "--data", "data", "--form", "released"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("agent OND.1.1.1\n{\"m_acc\":{\"full_top1\":"));
  const Outcome json =
      tyto({"--sail-on", "results", "--data", "data", "--form", "released", "--json"});
  const auto answer = nlohmann::json::parse(json.out);
  ASSERT_EQ(answer.size(), 4U);
  EXPECT_EQ(answer[0]["m_num_stats"]["P_indx_0.5"], 5);
  EXPECT_TRUE(answer[0]["m_acc"]["pre_mean_top1"].is_null());
  EXPECT_EQ(answer[0]["m_is_cdt_and_is_early"]["Is CDT"], true);
}

TEST_F(MeasureSailOn, leaves_out_what_cannot_be_read_and_says_so) {
  post("agent", "OND.9.9.9", "a,0\n", "a,1,0,0\n");
  post("base", "OND.1.1.2", "a,0\n", "a,1,0\n");
  const Outcome outcome = tyto({"--sail-on", "results", "--data", "data"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("session agent: OND.9.9.9: the data have no such test"));
}

TEST_F(MeasureSailOn, answers_mistakes_with_a_sentence) {
  const auto refused = [&](const std::vector<std::string>& arguments, int code,
                           const std::string& text) {
    const Outcome outcome = tyto(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  refused({"--sail-on", "results"}, 2, "needs --data FOLDER");
  refused({"--sail-on", "nowhere", "--data", "data"}, 1, "nowhere");
  refused({"--sail-on", "results", "--data", "nowhere"}, 1, "nowhere");
  refused({"--sail-on", "results", "--data", "data", "--baseline", "bass"}, 2, "base");
  refused({"--sail-on", "results", "--data", "data", "--form", "other"}, 2, "--form");
  refused({"--baseline", "base"}, 2, "one run");
  refused({}, 2, "target");
  make_folder(scratch / "empty");
  refused({"--sail-on", "empty", "--data", "data"}, 1, "no session has results");
}

}  // namespace
}  // namespace tyto
