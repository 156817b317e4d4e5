// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

testing_support::Outcome make(const std::filesystem::path& out, std::vector<std::string> more = {},
                              const std::string& data = "letters") {
  std::vector<std::string> words{"make-tests", "--data", data, "--out", out.string()};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

TEST(MakeTestsVerb, makes_tests_of_letters_and_says_what_they_are) {
  const Scratch scratch;
  const auto outcome =
      make(scratch / "tests", {"--tests", "2", "--difficulty", "easy,hard", "--seed", "7"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("letters: 13 known classes"), HasSubstr("OND.2.2.7"),
                                 HasSubstr("4 tests are in")));
  const auto folder = scratch / "tests/OND/activity_recognition";
  EXPECT_EQ(slurp(folder / "test_ids.csv"), "OND.1.1.7\nOND.1.2.7\nOND.2.1.7\nOND.2.2.7\n");
  const auto told = nlohmann::json::parse(slurp(folder / "OND.2.1.7_metadata.json"));
  EXPECT_EQ(told["difficulty"], "hard");
  EXPECT_EQ(told["known_classes"], 13);
  const std::string truth = slurp(folder / "OND.1.2.7_single_df.csv");
  EXPECT_EQ(std::count(truth.begin(), truth.end(), '\n'), 641);
  EXPECT_THAT(slurp(scratch / "tests/made.yaml"), HasSubstr("data: letters"));
}

TEST(MakeTestsVerb, answers_in_json_and_makes_altered_tests_for_condda) {
  const Scratch scratch;
  const auto outcome = make(scratch / "tests",
                            {"--protocol", "CONDDA", "--novelty", "altered", "--tests", "1",
                             "--length", "96", "--before", "32", "--round", "16", "--json"},
                            "digits");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["altered"], 32);
  EXPECT_EQ(json["known_classes"].size(), 5U);
  EXPECT_EQ(json["tests"][0]["id"], "CONDDA.1.1.0");
  EXPECT_EQ(json["tests"][0]["red_light"], 32);
  EXPECT_EQ(json["tests"][0]["novel"], 32);
  EXPECT_EQ(json["tests"][0]["change"], "noise");
  EXPECT_TRUE(std::filesystem::exists(scratch / "tests/altered/dataset.yaml"));
  const auto shown = run_program({"data", "show", (scratch / "tests/altered").string(), "--json"});
  EXPECT_EQ(shown.code, 0) << shown.err;
}

TEST(MakeTestsVerb, makes_tests_of_a_simulated_world_with_its_features) {
  const Scratch scratch;
  const auto outcome = make(
      scratch / "tests",
      {"--tests", "1", "--length", "64", "--before", "32", "--set", "subjects=8"}, "wearables");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* file : {"features/dataset.yaml", "train/dataset.yaml"}) {
    EXPECT_TRUE(std::filesystem::exists(scratch / "tests" / file)) << file;
  }
  EXPECT_EQ(
      make(scratch / "plane", {"--tests", "1", "--length", "64", "--before", "32"}, "gaussians")
          .code,
      0);
  EXPECT_THAT(make(scratch / "bad", {"--set", "people=8"}, "wearables").err,
              HasSubstr("wearables.people: unknown key"));
  EXPECT_THAT(make(scratch / "bad", {"--set", "people=8"}).err, HasSubstr("is a dataset"));
}

TEST(MakeTestsVerb, says_what_is_wrong_and_writes_nothing) {
  const Scratch scratch;
  const auto wrong = [&](std::vector<std::string> words, const std::string& data = "letters") {
    const auto outcome = make(scratch / "tests", std::move(words), data);
    EXPECT_FALSE(std::filesystem::exists(scratch / "tests")) << outcome.out;
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(wrong({}, "leters"), HasSubstr("letters"));
  EXPECT_THAT(wrong({"--protocol", "OWL"}), HasSubstr("protocol: \"OWL\" is not one of"));
  EXPECT_THAT(wrong({"--round", "50"}), HasSubstr("take 150 or 200"));
  EXPECT_THAT(wrong({"--novel-share", "1.5"}), HasSubstr("novel_share: 1.5 is outside [0, 1]"));
  EXPECT_THAT(wrong({"--difficulty", "harder"}), HasSubstr("\"harder\" is not one of"));
  EXPECT_THAT(wrong({"--known", "27"}), HasSubstr("known: 27 of the 26 classes"));
  EXPECT_THAT(wrong({"--tests", "many"}), HasSubstr("many"));
  EXPECT_THAT(wrong({"--seed", "-1"}), HasSubstr("--seed"));
  const auto few = make(scratch / "tests", {"--length", "6400"});
  EXPECT_EQ(few.code, 1);
  EXPECT_THAT(few.err, HasSubstr("tests may share samples"));
  EXPECT_EQ(run_program({"make-tests", "--data", "letters"}).code, 2);
  EXPECT_THAT(run_program({"make-tests", "--help"}).out, HasSubstr("Example:"));
}

TEST(MakeTestsVerb, replaces_only_by_force) {
  const Scratch scratch;
  const std::vector<std::string> small{"--tests", "1", "--length", "64", "--before", "32"};
  ASSERT_EQ(make(scratch / "tests", small, "digits").code, 0);
  const std::string before = slurp(scratch / "tests/samples.csv");
  const auto again = make(scratch / "tests", small, "digits");
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.err, HasSubstr("the folder is not empty"));
  std::vector<std::string> forced = small;
  forced.insert(forced.end(), {"--force", "--seed", "2"});
  ASSERT_EQ(make(scratch / "tests", forced, "digits").code, 0);
  EXPECT_NE(slurp(scratch / "tests/samples.csv"), before);
  forced.back() = "0";
  ASSERT_EQ(make(scratch / "tests", forced, "digits").code, 0);
  EXPECT_EQ(slurp(scratch / "tests/samples.csv"), before);
}

}  // namespace
}  // namespace tyto
