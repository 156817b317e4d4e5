// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/condda_evaluation.hpp"

#include "support/sail_on_wire.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

// Two known classes; X (class 2) and Y (class 3) come after the third sample.
sail_on::TestData named_test() {
  sail_on::TestData test;
  test.protocol = "CONDDA";
  test.domain = "activity_recognition";
  test.id = "CONDDA.1";
  test.metadata = R"({"known_classes": 2, "round_size": 3})";
  test.columns = {"id",      "novel",    "detection",         "ontology_id",
                  "spatial", "temporal", "annotation_name_1", "annotation_value_1"};
  const auto add = [&](const char* id, const char* novel, const char* changed, const char* number,
                       const char* name) {
    test.rows.push_back({id, novel, changed, number, "0", "0", "class", name});
  };
  add("a", "0", "0", "0", "sit");
  add("b", "0", "0", "1", "run");
  add("c", "0", "0", "1", "run");
  add("d", "1", "1", "2", "fly");
  add("e", "0", "1", "0", "sit");
  add("f", "1", "1", "2", "fly");
  add("g", "1", "1", "2", "fly");
  return test;
}

TEST(ConddaEvaluation, scores_posted_rows_whose_columns_grow_from_round_to_round) {
  const std::string detection = "a,0\nb,0.1\nc,0.2\nd,0.3\ne,0.6\nf,0.9\ng,1\n";
  const std::string characterization =
      "a,0.1,0.8,0.1\nb,0.1,0.1,0.8\nc,0.8,0.1,0.1\n"
      "d,0.7,0.1,0.1,0.1\ne,0.1,0.7,0.1,0.1\nf,0.1,0.1,0.1,0.7\n"
      "g,0.1,0.1,0.1,0.6,0.1\n";
  const auto out =
      nlohmann::json::parse(evaluate_condda(named_test(), detection, characterization, 0));
  EXPECT_DOUBLE_EQ(out["condda"]["accuracy"].get<double>(), 6.0 / 7.0);  // c is called unknown
  EXPECT_DOUBLE_EQ(out["condda"]["characterisation"].get<double>(), 2.0 / 3.0);
  EXPECT_EQ(out["condda"]["discovered"], 1.0);
  EXPECT_EQ(out["condda"]["clusters"], 1);
  EXPECT_EQ(out["classes"]["fly"]["samples_until_discovery"], 1);
  EXPECT_EQ(out["classes"]["fly"]["cluster"], "discovered_0");
  EXPECT_EQ(out["detection"]["change"], 3);
  EXPECT_EQ(out["detection"]["delay"], 1.0);
  EXPECT_EQ(out["detection"]["early_alarm"], 0.0);
  ASSERT_EQ(out["rounds"].size(), 3U);
  EXPECT_EQ(out["rounds"][1]["novel_samples"], 2);
  EXPECT_TRUE(out["rounds"][0]["characterisation"].is_null());
  EXPECT_EQ(out["rounds"][1]["stability"], 1.0);
}

TEST(ConddaEvaluation, takes_rounds_of_the_size_that_is_asked_for) {
  const std::string rows = "a,0.1,0.8,0.1\nb,0.1,0.1,0.8\n";
  EXPECT_EQ(nlohmann::json::parse(evaluate_condda(named_test(), "", rows, 1))["rounds"].size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(evaluate_condda(named_test(), "", rows, 0))["rounds"].size(), 1U);
}

TEST(ConddaEvaluation, without_detection_rows_nothing_is_said_about_the_change) {
  const auto out =
      nlohmann::json::parse(evaluate_condda(named_test(), "", "a,0.1,0.8,0.1\nb,0.1,0.1,0.8\n", 0));
  EXPECT_TRUE(out["detection"]["detected"].is_null());
  EXPECT_EQ(out["condda"]["accuracy"], 1.0);
  EXPECT_TRUE(out["condda"]["nmi"].is_null());
  EXPECT_TRUE(out["classes"].empty());
}

TEST(ConddaEvaluation, refuses_rows_that_are_no_answer) {
  const auto evaluate = [](const std::string& rows) {
    return evaluate_condda(named_test(), "", rows, 0);
  };
  EXPECT_THROW((void)evaluate(""), Error);
  EXPECT_THROW((void)evaluate("a,0.1,0.8\n"), Error);        // one known class is missing
  EXPECT_THROW((void)evaluate("a,0.1,0.8,often\n"), Error);  // no number
  EXPECT_THROW((void)evaluate("a,0.1,0.8,1.5\n"), Error);    // no probability
  EXPECT_THROW((void)evaluate("b,0.1,0.8,0.1\n"), Error);    // a hole before it
  EXPECT_THROW((void)evaluate_condda(named_test(), "b,0\n", "a,0.1,0.8,0.1\n", 0), Error);
}

// Worked by hand: rows 3, 4 (known), 5 (unknown without a cluster), 6 and 10 (discovered_1) of 12.
TEST(ConddaEvaluation, scores_a_recorded_session_of_the_public_server) {
  if (!testing_support::has_sail_on_wire()) {
    GTEST_SKIP() << "shared/data/sail_on_wire is not at hand";
  }
  const auto posts = testing_support::wire_posts(
      "27-condda-image", "f84af4a8-ed69-4e76-89ac-05b9fe475640", "CONDDA.1.1.6001");
  const auto out = nlohmann::json::parse(
      evaluate_condda(testing_support::wire_test("image_classification", "CONDDA.1.1.6001"),
                      posts.text.at("detection"), posts.text.at("characterization"), 5));
  EXPECT_DOUBLE_EQ(out["condda"]["accuracy"].get<double>(), 5.0 / 12.0);
  EXPECT_DOUBLE_EQ(out["condda"]["characterisation"].get<double>(), 2.0 / 3.0);
  EXPECT_EQ(out["condda"]["purity"], 1.0);
  EXPECT_EQ(out["condda"]["nmi"], 1.0);
  EXPECT_EQ(out["condda"]["discovered"], 1.0);
  EXPECT_EQ(out["condda"]["clusters_per_class"], 0.5);
  EXPECT_TRUE(out["condda"]["stability"].is_null());
  EXPECT_EQ(out["classes"]["-9"]["cluster"], "discovered_1");
  EXPECT_TRUE(out["classes"]["-7"]["cluster"].is_null());
  EXPECT_EQ(out["detection"]["detected"], 0.0);
  EXPECT_TRUE(out["detection"]["delay"].is_null());
}

}  // namespace
}  // namespace tyto
