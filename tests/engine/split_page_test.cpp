// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/split/split_page.hpp"

#include <cmath>

#include "support/kowl_plan.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/engine/split/class_balance.hpp"
#include "tyto/engine/split/svg_charts.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::kK400;
using testing_support::kK600;
using testing_support::kListedTest;
using testing_support::kListedTrain;

// run 6 + 2, walk 2 at the start; <b> & co, 3 + 1, in the second release.
BuiltSplit small_split(const SplitPlan& plan) {
  BuiltSplit built;
  built.unified.clips.resize(3);
  built.unified.counts.resize(3);
  Index video = 0;
  const auto add = [&](std::size_t release, const char* label, std::size_t split, Index count) {
    for (Index i = 0; i < count; ++i) {
      built.unified.clips[release].push_back({{fmt::format("v{}", ++video), 0, 10}, label, split});
    }
  };
  add(kK400, "run", kListedTrain, 6);
  add(kK400, "run", kListedTest, 2);
  add(kK400, "walk", kListedTrain, 2);
  add(kK600, "<b> & co", kListedTrain, 3);
  add(kK600, "<b> & co", kListedTest, 1);
  built.split = build_release_increments(built.unified, plan, Rng(1));
  built.counts = count_increments(built.split.schedule);
  built.notes = {"k700 <has> nothing"};
  return built;
}

Index times_found(std::string_view text, std::string_view words) {
  Index count = 0;
  for (auto at = text.find(words); at != text.npos; at = text.find(words, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ClassBalance, counts_samples_by_class_and_split) {
  const SplitPlan plan = testing_support::kowl_plan();
  const BuiltSplit built = small_split(plan);
  const auto sizes = class_sizes(built.split.schedule, built.split.series.joined.table);
  ASSERT_EQ(sizes.size(), 3U);
  EXPECT_EQ(sizes[0].name, "run");
  EXPECT_EQ(sizes[0].samples(), 8);
  EXPECT_EQ(sizes[0].by_split[2], 2);
  EXPECT_TRUE(sizes[1].is_start);
  EXPECT_FALSE(sizes[2].is_start);
  EXPECT_EQ(sizes[2].samples(), 4);
  const Balance all = balance_of(sizes);
  EXPECT_EQ(all.samples, 14);
  EXPECT_EQ(all.fewest, 2);
  EXPECT_EQ(all.most, 8);
  EXPECT_DOUBLE_EQ(all.median, 4);
  const double entropy = -(8 / 14.0 * std::log(8 / 14.0) + 2 / 14.0 * std::log(2 / 14.0) +
                           4 / 14.0 * std::log(4 / 14.0));
  EXPECT_NEAR(all.evenness, entropy / std::log(3.0), 1e-12);
  EXPECT_DOUBLE_EQ(balance_of({}).evenness, 1);
  EXPECT_DOUBLE_EQ(balance_of(std::span(sizes).first(2)).median, 5);
}

TEST(SvgCharts, a_bar_is_as_high_as_its_count) {
  // The axis ends at 100, in 150 units: 80 known are 120 high, 20 novel 30.
  const std::string chart = stacked_bars({{"0", "k400", 80, 20}, {"1", "k600", 0, 50}}, "samples");
  EXPECT_THAT(chart, AllOf(HasSubstr("height=\"120.00\""), HasSubstr("height=\"30.00\""),
                           HasSubstr("height=\"75.00\""), HasSubstr(">100</text>"),
                           HasSubstr("80 known and 20 novel")));
  EXPECT_EQ(times_found(chart, "class=\"known\""), 1);  // no bar of 0
  EXPECT_EQ(times_found(chart, "class=\"novel\""), 2);
  EXPECT_THAT(stacked_bars({}, "samples"), HasSubstr("</svg>"));
  EXPECT_THAT(stacked_bars({{"0", "a", 0, 0}}, "x"), Not(HasSubstr("nan")));
}

TEST(SvgCharts, points_lie_on_a_logarithmic_scale) {
  // 1 to 100 in 260 units from y 10 to 270: 10 lies in the middle, at 140.
  const std::string chart = grouped_points(
      {{"a", "0", 100, false}, {"b", "0", 10, false}, {"c & d", "1", 1, true}}, "samples");
  EXPECT_THAT(chart, AllOf(HasSubstr("cy=\"10.0\""), HasSubstr("cy=\"140.0\""),
                           HasSubstr("c &amp; d: 1 samples, first at increment 1")));
  EXPECT_EQ(times_found(chart, "<path class=\"novel\""), 1);
  EXPECT_THAT(grouped_points({}, "samples"), Not(HasSubstr("nan")));
}

TEST(SvgCharts, numbers_have_groups_of_digits) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(999), "999");
  EXPECT_EQ(grouped_digits(213486), "213,486");
  EXPECT_EQ(grouped_digits(-1000), "-1,000");
}

TEST(SplitPage, stands_alone_in_light_and_dark_and_escapes_names) {
  const SplitPlan plan = testing_support::kowl_plan();
  const std::string page = split_page(plan, small_split(plan));
  EXPECT_THAT(page, AllOf(HasSubstr("<title>kowl718</title>"), HasSubstr("prefers-color-scheme"),
                          HasSubstr("&lt;b&gt; &amp; co"), HasSubstr("k700 &lt;has&gt; nothing"),
                          HasSubstr("<h3>train samples</h3>"), HasSubstr("<h3>test samples</h3>"),
                          HasSubstr("<td>known at the start</td><td>2</td><td>10</td>")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<h3>validate samples</h3>")), Not(HasSubstr("<b>")),
                          Not(HasSubstr("http")), Not(HasSubstr("<script")),
                          Not(HasSubstr("@title@")), Not(HasSubstr("@said@"))));
  EXPECT_EQ(times_found(page, "<circle class=\"known\" cx"), 2);  // a point per class
  EXPECT_EQ(times_found(page, "<path class=\"novel\""), 1);
}

}  // namespace
}  // namespace tyto
