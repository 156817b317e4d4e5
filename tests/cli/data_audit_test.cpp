// SPDX-License-Identifier: Apache-2.0
#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::run_program;

TEST(DataAudit, tells_of_the_letters_and_fails_only_when_strict) {
  const auto told = run_program({"data", "audit", "letters", "--near", "0", "--limit", "1"});
  EXPECT_EQ(told.code, 0);
  EXPECT_THAT(told.out, HasSubstr("problem: 380 test rows are equal to a row of the split train"));
  EXPECT_THAT(told.out, HasSubstr("[rows_across_splits]"));
  const auto strict = run_program({"data", "audit", "letters", "--near", "0", "--strict"});
  EXPECT_EQ(strict.code, 1);
  EXPECT_THAT(strict.err, HasSubstr("--strict allows no problems"));
  EXPECT_EQ(run_program({"data", "audit", "letters", "--near", "7"}).code, 2);
  EXPECT_EQ(run_program({"data", "audit", "no_such_dataset"}).code, 2);
}

TEST(DataAudit, answers_as_json) {
  const auto told = run_program({"data", "audit", "digits", "--json"});
  EXPECT_EQ(told.code, 0);
  const auto json = nlohmann::json::parse(told.out);
  EXPECT_EQ(json["samples"], 1797);
  EXPECT_EQ(json["near"]["distinct"], 1797);
  for (const auto& finding : json["findings"]) {
    EXPECT_TRUE(finding["weight"] == "note" || finding["weight"] == "problem");
    EXPECT_FALSE(finding["rule"].empty());
  }
}

TEST(DataCard, is_written_to_a_file_or_printed) {
  const testing_support::Scratch scratch;
  const auto printed = run_program({"data", "card", "digits"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_THAT(printed.out, HasSubstr("- licence: CC BY 4.0\n"));
  const std::string file = (scratch / "card.md").string();
  EXPECT_EQ(run_program({"data", "card", "digits", "--out", file}).code, 0);
  EXPECT_EQ(testing_support::slurp(file), printed.out);
  const auto json = nlohmann::json::parse(run_program({"data", "card", "digits", "--json"}).out);
  EXPECT_EQ(json["facts"][1]["text"], "CC BY 4.0");
  EXPECT_TRUE(json["facts"][3]["text"].is_null());  // no importer was named
  EXPECT_EQ(json["files"].size(), 2U);
  EXPECT_EQ(run_program({"data", "card", "digits", "--json", "--markdown"}).code, 2);
}

TEST(DataCard, shows_a_picture_of_each_class_where_asked) {
  const auto plain = run_program({"data", "card", "digits"});
  const auto pictured = run_program({"data", "card", "digits", "--pictures"});
  EXPECT_EQ(pictured.code, 0) << pictured.err;
  EXPECT_TRUE(pictured.out.starts_with(plain.out));
  EXPECT_THAT(pictured.out, HasSubstr("| 9 | ![9](data:image/png;base64,"));
  EXPECT_THAT(run_program({"data", "card", "letters", "--pictures"}).out,
              HasSubstr("No sample has a picture."));
  EXPECT_EQ(run_program({"data", "card", "digits", "--json", "--pictures"}).code, 2);
}

}  // namespace
}  // namespace tyto
