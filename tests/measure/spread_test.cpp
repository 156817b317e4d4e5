// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/intervals/spread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::HasSubstr;

TEST(SpreadOf, has_mean_and_deviation_of_the_values_there_are) {
  // 1, 2, 6: mean 3, squares 4 + 1 + 9 = 14, 14 / 2 = 7.
  const std::vector<std::optional<double>> values{1.0, {}, 2.0, 6.0};
  const Spread spread = spread_of(values);
  EXPECT_EQ(spread.count, 3);
  EXPECT_DOUBLE_EQ(*spread.mean, 3.0);
  EXPECT_DOUBLE_EQ(*spread.deviation, std::sqrt(7.0));
  EXPECT_EQ(spread.low, 1.0);
  EXPECT_EQ(spread.high, 6.0);
}

TEST(SpreadOf, one_value_has_no_deviation_and_none_no_mean) {
  EXPECT_FALSE(spread_of(std::vector<std::optional<double>>{0.5}).deviation);
  EXPECT_EQ(spread_of(std::vector<std::optional<double>>{0.5}).mean, 0.5);
  EXPECT_FALSE(spread_of(std::vector<std::optional<double>>{{}, {}}).mean);
}

TEST(SpreadRows, match_rows_by_what_they_are_rows_of) {
  const auto row = [](Index step, const std::string& measure, double value) {
    MeasureRow made;
    made.step = step;
    made.phase = "pre";
    made.split = "test";
    made.view = "raw";
    made.novel_to = "predictor";
    made.measure = measure;
    made.value = value;
    return made;
  };
  const std::vector<std::vector<MeasureRow>> runs{
      {row(1, "mcc", 0.2), row(1, "nmi", 0.5)},
      {row(1, "nmi", 0.7), row(1, "mcc", 0.4), row(2, "mcc", 1.0)}};
  const auto rows = spread_rows(runs);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].row.measure, "mcc");
  EXPECT_NEAR(*rows[0].spread.mean, 0.3, 1e-12);
  EXPECT_NEAR(*rows[1].spread.mean, 0.6, 1e-12);
  EXPECT_EQ(rows[2].spread.count, 1);
  const std::vector<ArmSpread> arms{{{{"arm", "a"}}, rows}};
  EXPECT_THAT(csv_text(long_table(arms)), HasSubstr("a,2,pre,test,predictor,raw,mcc,1,1,,1,1\n"));
}

}  // namespace
}  // namespace tyto
