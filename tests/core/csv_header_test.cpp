// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/csv/csv_header.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

bool is_header(const std::vector<std::string>& cells, const std::vector<std::string>& known = {}) {
  return names_columns({"f.csv", 3, cells}, known);
}

TEST(NamesColumns, tells_words_from_numbers) {
  EXPECT_TRUE(is_header({"x", "y", "class"}));
  EXPECT_TRUE(is_header({"", "x 1", "2y"}));
  EXPECT_FALSE(is_header({"1", " 2.5 ", "+3e4", "-0"}));
  EXPECT_FALSE(is_header({"nan", "1"}));  // refused later, as no finite number
}

TEST(NamesColumns, does_not_take_a_row_with_a_bad_cell_for_a_header) {
  for (const std::vector<std::string>& cells :
       {std::vector<std::string>{"1", "2", "?"}, {"1", "", "3"}, {"1.5.2", "2"}}) {
    EXPECT_THROW(is_header(cells), Error);
  }
  try {
    is_header({"0.5", "o.5", "1"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(error.what(),
                testing::StartsWith("f.csv: line 3, column 2: \"o.5\" is not a number"));
  }
}

TEST(NamesColumns, knows_a_header_by_a_name_it_must_hold) {
  EXPECT_TRUE(is_header({"0", "1", "label"}, {"label"}));
  EXPECT_TRUE(is_header({"0", "1"}, {"1"}));
  EXPECT_THROW(is_header({"0", "1", "label"}, {"class"}), Error);
}

TEST(NumberIn, wants_a_whole_cell) {
  EXPECT_EQ(number_in<double>(" +1.5\r"), 1.5);
  EXPECT_EQ(number_in<float>("\t-2e3 "), -2000.0F);
  for (const char* text : {"", " ", "1x", "1 2", "++1", "0x10"}) {
    EXPECT_FALSE(number_in<double>(text)) << text;
  }
}

}  // namespace
}  // namespace tyto
