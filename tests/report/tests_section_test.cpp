// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "support/page_reader.hpp"
#include "toy_tests_page.hpp"
#include <gtest/gtest.h>

#include "tyto/report/page/score_range.hpp"

namespace tyto {
namespace {

using testing_support::built_section;
using testing_support::tests_source;
using testing_support::unpack_base64;
using SectionData = nlohmann::json;

const std::vector<std::string> kStartNames{"A", "B"};

// Three rounds of two; the world changes at the fourth sample, the fifth is the first novel one.
std::vector<ToyRow> six_samples(bool late = false) {
  return {{"A", false, false, "A", 0.0F, 1},
          {"B", false, false, "A", 0.0F, 1},
          {"B", false, false, "B", 0.0F, 2},
          {"A", false, true, "A", late ? 0.0F : 0.5F, 2},
          {"X", true, true, "unknown", late ? 0.0F : 1.0F, 3},
          {"X", true, true, late ? "B" : "discovered_0", 1.0F, 3}};
}

ToyTests two_settings() {
  ToyTests tests;
  tests.add(1, "system", "OND.1", kStartNames, six_samples(true));
  tests.add(1, "given", "OND.1", kStartNames, six_samples());
  tests.add(2, "system", "OND.2", kStartNames, six_samples());
  tests.add(2, "given", "OND.2", kStartNames, six_samples());
  for (Phase& phase : tests.phases) {
    phase.labels_granted = phase.key.batch == 3 ? 4 : phase.key.batch == 2 ? 1 : 0;
    for (Index i = 0; i < phase.size(); ++i) {
      phase.novelty.push_back(static_cast<float>(2 * phase.key.batch + i));
    }
  }
  return tests;
}

std::size_t measure_place(const SectionData& data, const std::string& name) {
  std::size_t place = 0;
  while (data.at("measures").at(place).at("name") != name) {
    ++place;
  }
  return place;
}

std::vector<std::string> coded(const PageSource& source, const SectionData& names, std::size_t n) {
  const std::string bytes = unpack_base64(names.at("places").get<std::string>());
  std::vector<std::string> out;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t place = static_cast<unsigned char>(bytes.at(i));
    if (bytes.size() > n) {
      place += 256U * static_cast<unsigned char>(bytes.at(n + i));
    }
    out.push_back(source.names->all().at(names.at("names").at(place).get<std::size_t>()));
  }
  return out;
}

TEST(TestsSection, is_left_out_of_a_page_without_tests) {
  EXPECT_TRUE(built_section(testing_support::tiny_source(), "tests").is_null());
  EXPECT_TRUE(built_section(testing_support::tiny_source(), "discovery").is_null());
}

TEST(TestsSection, tells_the_truth_of_a_test_once_for_all_settings) {
  const PageSource source = tests_source(two_settings());
  const SectionData data = built_section(source, "tests");
  ASSERT_EQ(data.at("tests").size(), 2U);
  const SectionData& test = data.at("tests").at(0);
  EXPECT_EQ(test.at("id"), "OND.1");
  EXPECT_EQ(test.at("samples"), 6);
  EXPECT_EQ(test.at("every"), 1);
  EXPECT_EQ(test.at("change"), 3);
  EXPECT_EQ(test.at("first_novel"), 4);
  EXPECT_EQ(test.at("rounds"), SectionData::parse("[0, 2, 4]"));
  EXPECT_EQ(test.at("novel"), "000011");
  EXPECT_EQ(coded(source, test.at("truth"), 6),
            (std::vector<std::string>{"A", "B", "B", "A", "X", "X"}));
}

TEST(TestsSection, packs_a_stream_into_bytes) {
  const PageSource source = tests_source(two_settings());
  const SectionData data = built_section(source, "tests");
  ASSERT_EQ(data.at("streams").size(), 4U);
  const SectionData& stream = data.at("streams").at(1);
  EXPECT_EQ(stream.at("setting"), "given");
  EXPECT_EQ(stream.at("test"), 0);
  EXPECT_EQ(coded(source, stream.at("said"), 6),
            (std::vector<std::string>{"A", "A", "B", "A", "unknown", "discovered_0"}));
  EXPECT_EQ(unpack_base64(stream.at("changed").get<std::string>()),
            std::string("\0\0\0\x7F\xFE\xFE", 6));
  const std::string novelty = unpack_base64(stream.at("novelty").get<std::string>());
  ASSERT_EQ(novelty.size(), 6U);
  EXPECT_EQ(static_cast<unsigned char>(novelty.front()), 0);
  EXPECT_EQ(static_cast<unsigned char>(novelty.back()), 254);
  // Between them 3 and 4 of 2 to 7; the outermost half percent is cut off.
  EXPECT_NEAR(static_cast<unsigned char>(novelty[1]), 254 / 5, 2);
  EXPECT_NEAR(stream.at("low").get<double>(), 2.0, 0.05);
  EXPECT_NEAR(stream.at("high").get<double>(), 7.0, 0.05);
  // Before round 2 there was one label, before round 3 there were four.
  EXPECT_EQ(stream.at("granted"), SectionData::parse("[[1, 1], [2, 3]]"));
}

TEST(TestsSection, scores_every_test_and_their_mean) {
  const SectionData data = built_section(tests_source(two_settings()), "tests");
  ASSERT_EQ(data.at("scores").size(), 2U);
  const SectionData& system = data.at("scores").at(0);
  EXPECT_EQ(system.at("setting"), "system");
  EXPECT_EQ(system.at("rows").at(0).at("test"), 0);
  EXPECT_EQ(system.at("rows").at(0).at("declared"), 5);
  EXPECT_EQ(system.at("rows").at(1).at("declared"), 4);
  const auto delay = measure_place(data, "change_detection_delay");
  EXPECT_EQ(system.at("rows").at(0).at("values").at(delay), 2);
  EXPECT_EQ(system.at("values").at(delay).at(0), 1.5);
  const auto before = measure_place(data, "accuracy_before_change");
  EXPECT_NEAR(system.at("values").at(before).at(0).get<double>(), 2.0 / 3.0, 1e-5);
}

// Told, the last sample of test 1 is right too: a third more after the change; nothing changes in
// test 2.
TEST(TestsSection, pairs_the_tests_of_what_is_told_with_the_same_tests_of_what_is_not) {
  const SectionData data = built_section(tests_source(two_settings()), "tests");
  ASSERT_EQ(data.at("differences").size(), 1U);
  const SectionData& bought = data.at("differences").at(0);
  EXPECT_EQ(bought.at("from"), "system");
  EXPECT_EQ(bought.at("to"), "given");
  EXPECT_EQ(bought.at("pairs"), 2);
  const auto after = measure_place(data, "accuracy_after_change");
  EXPECT_NEAR(bought.at("values").at(after).at(0).get<double>(), 1.0 / 6.0, 1e-5);
  EXPECT_EQ(bought.at("values").at(measure_place(data, "accuracy_before_change")).at(0), 0);
}

TEST(TestsSection, tells_what_was_not_recorded_as_nothing) {
  ToyTests tests;
  tests.add(1, "system", "OND.1", kStartNames, six_samples(), {}, false);
  const SectionData data = built_section(tests_source(tests), "tests");
  EXPECT_EQ(data.at("streams").at(0).at("changed"), "");
  EXPECT_EQ(data.at("streams").at(0).at("novelty"), "");
  EXPECT_EQ(data.at("streams").at(0).at("granted").size(), 0U);
  EXPECT_TRUE(data.at("scores").at(0).at("rows").at(0).at("declared").is_null());
  EXPECT_EQ(data.at("differences").size(), 0U);
}

TEST(TestsSection, has_a_missing_score_where_novelty_is_no_number) {
  ToyTests tests = two_settings();
  for (Phase& phase : tests.phases) {
    phase.novelty[0] = std::numeric_limits<float>::quiet_NaN();
    phase.novelty[1] = std::numeric_limits<float>::infinity();
  }
  const SectionData data = built_section(tests_source(tests), "tests");
  const std::string novelty =
      unpack_base64(data.at("streams").at(0).at("novelty").get<std::string>());
  EXPECT_EQ(static_cast<unsigned char>(novelty[0]), 255);
  EXPECT_EQ(static_cast<unsigned char>(novelty[1]), 254);
}

TEST(TestsSection, keeps_more_names_than_a_byte_can_hold_apart) {
  std::vector<std::string> known;
  std::vector<ToyRow> rows;
  for (int i = 0; i < 300; ++i) {
    known.push_back("class " + std::to_string(i));
    rows.push_back({known.back(), false, i > 100, "unknown", 0.0F, 1});
  }
  ToyTests tests;
  tests.add(1, "system", "OND.1", known, rows);
  const PageSource source = tests_source(tests);
  const SectionData data = built_section(source, "tests");
  EXPECT_EQ(coded(source, data.at("tests").at(0).at("truth"), 300), known);
}

TEST(TestsSection, thins_a_stream_that_has_more_samples_than_can_be_drawn) {
  std::vector<ToyRow> rows(9001, {"A", false, false, "A", 0.0F, 1});
  rows[6].label = "B";  // the third that is drawn: of three samples one is
  ToyTests tests;
  tests.add(1, "system", "OND.1", kStartNames, rows);
  const PageSource source = tests_source(tests);
  const SectionData data = built_section(source, "tests");
  const SectionData& test = data.at("tests").at(0);
  EXPECT_EQ(test.at("samples"), 9001);
  EXPECT_EQ(test.at("every"), 3);
  EXPECT_EQ(test.at("novel").get<std::string>().size(), 3001U);
  EXPECT_EQ(coded(source, test.at("truth"), 3001)[2], "B");
  EXPECT_EQ(unpack_base64(data.at("streams").at(0).at("changed").get<std::string>()).size(), 3001U);
}

TEST(ScoreRange, leaves_the_outermost_half_percent_and_what_is_not_finite_out) {
  std::vector<float> scores{std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()};
  EXPECT_FALSE(score_range(scores));
  for (int i = 0; i <= 1000; ++i) {
    scores.push_back(static_cast<float>(i));
  }
  EXPECT_NEAR(score_range(scores)->low, 5.0, 1e-6);
  EXPECT_NEAR(score_range(scores)->high, 995.0, 1e-6);
  const std::vector<float> equal(3, 2.0F);
  EXPECT_EQ(score_range(equal)->low, 1.5);
  EXPECT_EQ(score_range(equal)->high, 2.5);
}

}  // namespace
}  // namespace tyto
