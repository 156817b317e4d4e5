// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/csv/separator.hpp"

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/csv/csv_stream.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing_support::Scratch;

TEST(Separator, is_told_by_the_first_line) {
  EXPECT_EQ(separator_of("a,b\n1;2\n"), ',');
  EXPECT_EQ(separator_of("a;b\n1,5;2\n"), ';');
  EXPECT_EQ(separator_of("a\tb;c\td\n"), '\t');
  EXPECT_EQ(separator_of("alone\n1;2\n"), ',');
  EXPECT_EQ(separator_of("\"a,b\";c\n"), ';');        // a comma in quotes is text
  EXPECT_EQ(separator_of("\"a;b\"\n"), ',');          // so is a semicolon
  EXPECT_EQ(separator_of("height, m;class\n"), ',');  // one comma: a table of commas
  EXPECT_EQ(separator_of(""), ',');
}

TEST(Separator, decimal_commas_are_numbers_but_for_the_comma) {
  for (const char* number : {"1,5", "-0,25", "+3,0e2", ",5", " 1,5"}) {
    EXPECT_TRUE(has_decimal_comma(number)) << number;
  }
  for (const char* other : {"1.5", "1,234,567", "1.234,5", "a,b", ",", "", "15"}) {
    EXPECT_FALSE(has_decimal_comma(other)) << other;
  }
}

TEST(Separator, a_text_with_commas_keeps_lines_quotes_and_empty_cells) {
  EXPECT_EQ(with_commas("a;b;c\r\n1,5;\"x;\"\"y\"\"\r\nz\";\r\n;p, q;-2,5"),
            "a,b,c\r\n1.5,\"x;\"\"y\"\"\r\nz\",\r\n,\"p, q\",-2.5");
  EXPECT_EQ(with_commas("a,b\n1;5,2\n"), "a,b\n1;5,2\n");
}

TEST(Separator, tables_and_streams_read_them_alike) {
  const Scratch scratch;
  const std::string text = "name;x\n\"a;b\";1,5\nc;-2\n";
  write_file(scratch / "t.csv", text);
  const CsvTable table = CsvTable::load(scratch / "t.csv");
  EXPECT_THAT(table.columns(), ElementsAre("name", "x"));
  EXPECT_EQ(table.text(0, 0), "a;b");
  EXPECT_THAT(table.numbers(1), ElementsAre(1.5, -2.0));
  std::size_t given = 0;
  CsvStream stream(
      [&](char* to, std::size_t) {  // a byte at a time
        if (given == text.size()) {
          return std::size_t{0};
        }
        *to = text[given++];
        return std::size_t{1};
      },
      "t");
  const auto records = stream.read(10, true);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_THAT(records[0].cells, ElementsAre("name", "x"));
  EXPECT_THAT(records[1].cells, ElementsAre("a;b", "1.5"));
  EXPECT_THAT(records[2].cells, ElementsAre("c", "-2"));
}

}  // namespace
}  // namespace tyto
