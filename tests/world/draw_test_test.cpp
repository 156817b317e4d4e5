// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/draw_test.hpp"

#include <algorithm>
#include <set>

#include "support/test_data_makers.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tyto {
namespace {

using testing_support::evenly;
using testing_support::LineDataset;
using testing_support::small_options;

TEST(DrawTest, the_red_light_stands_where_it_is_asked_to) {
  const Dataset dataset = LineDataset{evenly(8), 100}.make();
  MakeTestsOptions options = small_options();
  options.tests = 40;
  const auto places = [&] {
    std::set<Index> found;
    for (const auto& test : make_tests(dataset, options, 9).tests) {
      found.insert(nlohmann::json::parse(test->metadata)["detection"].get<Index>());
    }
    return found;
  };
  EXPECT_EQ(places(), std::set<Index>{16});
  options.red_light = "anywhere";
  options.before = 13;
  EXPECT_EQ(places(), std::set<Index>{13});
  options.red_light = "drawn";
  options.before = 16;
  const std::set<Index> drawn = places();
  EXPECT_GT(drawn.size(), 8U);
  EXPECT_GE(*drawn.begin(), 8);
  EXPECT_LE(*drawn.rbegin(), 24);
}

// Mean place of the novel samples, from 0 (red light) to 1 (end).
double mean_novel_place(const MadeTests& made) {
  double sum = 0;
  double count = 0;
  for (const auto& test : made.tests) {
    const Index red = nlohmann::json::parse(test->metadata)["detection"];
    for (Index i = red; i < std::ssize(test->rows); ++i) {
      if (test->rows[at(i)][1] == "1") {
        sum += static_cast<double>(i - red) / static_cast<double>(std::ssize(test->rows) - red);
        ++count;
      }
    }
  }
  return sum / count;
}

TEST(DrawTest, what_is_new_arrives_evenly_or_more_and_more) {
  const Dataset dataset = LineDataset{evenly(8), 400}.make();
  MakeTestsOptions options;
  options.tests = 20;
  options.length = 264;
  options.before = 64;
  options.novel_share = 0.2;
  EXPECT_NEAR(mean_novel_place(make_tests(dataset, options, 1)), 0.5, 0.03);
  options.arrival = "gradual";
  // Weights that grow in a line have their mean at 2/3; without replacement a little less.
  EXPECT_NEAR(mean_novel_place(make_tests(dataset, options, 1)), 0.65, 0.03);
}

TEST(DrawTest, new_classes_arrive_one_after_another_if_asked_to) {
  const Dataset dataset = LineDataset{evenly(8), 400}.make();
  MakeTestsOptions options;
  options.length = 264;
  options.before = 64;
  options.arrival = "in_turn";
  for (const auto& test : make_tests(dataset, options, 1).tests) {
    const nlohmann::json told = nlohmann::json::parse(test->metadata);
    const std::vector<std::string> names = told["novel_class_names"];
    ASSERT_EQ(names.size(), 4U);
    std::set<std::string> seen;
    for (Index i = 64; i < 264; ++i) {
      const auto& row = test->rows[at(i)];
      if (row[1] == "1") {
        const auto number = std::find(names.begin(), names.end(), row[6]) - names.begin();
        EXPECT_LE(number, (i - 64) * 4 / 200);
        seen.insert(row[6]);
      }
    }
    EXPECT_EQ(seen.size(), 4U);
  }
}

}  // namespace
}  // namespace tyto
