// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/csv/csv.hpp"

#include <cmath>

#include "sample/store_helpers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

using CsvRows = std::vector<std::vector<std::string>>;

CsvRows csv_rows(const CsvTable& table) {
  CsvRows rows{table.columns()};
  for (Index i = 0; i < table.rows(); ++i) {
    rows.emplace_back();
    for (Index j = 0; j < static_cast<Index>(table.columns().size()); ++j) {
      rows.back().emplace_back(table.text(i, j));
    }
  }
  return rows;
}

TEST(ReadCsv, takes_every_form_that_the_rules_allow) {
  struct Case {
    const char* what;
    std::string text;
    CsvRows rows;
  };

  const std::vector<Case> cases{
      {"plain", "a,b\n1,2\n", {{"a", "b"}, {"1", "2"}}},
      {"no newline at the end", "a,b\n1,2", {{"a", "b"}, {"1", "2"}}},
      {"CRLF", "a,b\r\n1,2\r\n", {{"a", "b"}, {"1", "2"}}},
      {"mixed line ends", "a,b\r\n1,2\n3,4\r\n", {{"a", "b"}, {"1", "2"}, {"3", "4"}}},
      {"byte order mark",
       "\xEF\xBB\xBF"
       "a,b\n1,2\n",
       {{"a", "b"}, {"1", "2"}}},
      {"header alone", "a,b\n", {{"a", "b"}}},
      {"quoted", "\"a\",b\n\"1\",\"2\"\n", {{"a", "b"}, {"1", "2"}}},
      {"comma in quotes", "a,b\n\"1,5\",2\n", {{"a", "b"}, {"1,5", "2"}}},
      {"doubled quotes", "a,b\n\"say \"\"hi\"\"\",2\n", {{"a", "b"}, {"say \"hi\"", "2"}}},
      {"only a doubled quote", "a,b\n\"\"\"\",2\n", {{"a", "b"}, {"\"", "2"}}},
      {"newline in quotes", "a,b\n\"1\n2\",3\n", {{"a", "b"}, {"1\n2", "3"}}},
      {"CRLF in quotes", "a,b\n\"1\r\n2\",3\n", {{"a", "b"}, {"1\r\n2", "3"}}},
      {"empty fields", "a,b,c\n,,\n\"\",x,\n", {{"a", "b", "c"}, {"", "", ""}, {"", "x", ""}}},
      {"comma as last byte", "a,b\n1,", {{"a", "b"}, {"1", ""}}},
      {"quote as last byte", "a,b\n1,\"2\"", {{"a", "b"}, {"1", "2"}}},
      {"blank lines", "a,b\n\n1,2\n\r\n3,4\n\n", {{"a", "b"}, {"1", "2"}, {"3", "4"}}},
      {"empty values of one column", "a\nx\n\ny\n", {{"a"}, {"x"}, {""}, {"y"}}},
      {"blanks are kept", "a,b\n 1 ,\"  2\"\n", {{"a", "b"}, {" 1 ", "  2"}}},
      {"letters beyond ASCII",
       "größe,名\né,\xF0\x9F\xA6\x89\n",
       {{"größe", "名"}, {"é", "\xF0\x9F\xA6\x89"}}}};
  for (const Case& one : cases) {
    EXPECT_EQ(csv_rows(CsvTable::parse(one.text, "t.csv")), one.rows) << one.what;
  }
}

TEST(ReadCsv, names_file_line_and_column_of_what_breaks_the_rules) {
  struct Case {
    std::string text, sentence;
  };

  const std::vector<Case> cases{
      {"", "t.csv: line 1: the names of the columns are missing"},
      {"\na,b\n", "t.csv: line 1: the names of the columns are missing"},
      {"a,,c\n", "t.csv: line 1: column 2 has no name"},
      {"a,b,a\n", "t.csv: line 1: two columns are called \"a\""},
      {"a,b\n1,2\n3\n", "t.csv: line 3: 1 fields, but the header names 2 columns"},
      {"a,b\n1,2,3\n", "t.csv: line 2: 3 fields, but the header names 2 columns"},
      {"a,b\n\"x\ny\",2\n3\n", "t.csv: line 4: 1 fields, but the header names 2 columns"},
      {"a,b\n1,\"2\n3,4\n", "t.csv: line 2, column 2: the quote that opens here is never closed"},
      {"a,b\n1,2\"3\n", "t.csv: line 2, column 2: a quote inside the unquoted text 2\""},
      {"a,b\n\"1\"2,3\n", "t.csv: line 2, column 1: \"2\" follows a closing quote"},
      {"a,b\n1,2\rx", "t.csv: line 2, column 2: a carriage return without a line feed"},
      {"a,b\n1,\xFF\n", "t.csv: line 2: the byte 0xFF is not UTF-8"},
      {"a,b\n1,\xC0\x80\n", "t.csv: line 2: the byte 0xC0 is not UTF-8"},          // overlong
      {"a,b\n1,\xED\xA0\x80\n", "t.csv: line 2: the byte 0xED is not UTF-8"},      // surrogate
      {"a,b\n1,\xF4\x90\x80\x80\n", "t.csv: line 2: the byte 0xF4 is not UTF-8"},  // too high
      {"a,b\n1,\xE2\x82", "t.csv: line 2: the byte 0xE2 is not UTF-8"},            // cut off
      {std::string("a\0b\n", 4), "t.csv: line 1: a zero byte"}};
  for (const Case& one : cases) {
    EXPECT_THAT(refusal([&] { CsvTable::parse(one.text, "t.csv"); }), HasSubstr(one.sentence))
        << one.text;
  }
}

TEST(ReadCsv, reads_back_what_csv_field_wrote) {
  constexpr std::string_view kLetters = "ab,\"\n\r é";
  Rng rng(7);
  for (int round = 0; round < 50; ++round) {
    CsvRows rows{{"x", "y", "z"}};
    std::string text = "x,y,z\n";
    for (int i = 0; i < 20; ++i) {
      rows.emplace_back();
      for (int j = 0; j < 3; ++j) {
        std::string field;
        for (Index k = rng.below(6); k > 0; --k) {
          const Index at = rng.below(8);
          field += at == 7 ? kLetters.substr(7) : kLetters.substr(static_cast<std::size_t>(at), 1);
        }
        text += (j == 0 ? "" : ",") + csv_field(field);
        rows.back().push_back(field);
      }
      text += '\n';
    }
    ASSERT_EQ(csv_rows(CsvTable::parse(text, "t.csv")), rows);
  }
}

TEST(ReadCsv, unpacks_gz_and_survives_a_move) {
  const TestFolder folder;
  write_gz(folder / "t.csv.gz", "a\nx\n");
  CsvTable table = CsvTable::load(folder / "t.csv.gz");
  const CsvTable moved = std::move(table);
  EXPECT_EQ(moved.text(0, 0), "x");
  EXPECT_THAT(refusal([&] { CsvTable::load(folder / "none.csv"); }), HasSubstr("none.csv"));
}

TEST(CsvNumbers, are_read_exactly_and_refused_by_line_and_column) {
  const CsvTable table =
      CsvTable::parse("a,b,n\n1.5,-2e3,3\n\n +7 ,nan,0\n1e-60,-inf,12\n", "t.csv");
  const std::vector<Index> columns{1, 0};
  const Matrix values = table.matrix(columns);
  EXPECT_EQ(values(0, 0), -2000.0F);
  EXPECT_EQ(values(0, 1), 1.5F);
  EXPECT_TRUE(std::isnan(values(1, 0)));
  EXPECT_EQ(values(1, 1), 7.0F);
  EXPECT_TRUE(std::isinf(values(2, 0)));
  EXPECT_EQ(values(2, 1), 0.0F);  // below the smallest float32
  EXPECT_EQ(table.counts(2), (std::vector<Index>{3, 0, 12}));

  const CsvTable bad = CsvTable::parse("a,b\n1,x\n,2\n1e300,2.5\n", "t.csv");
  EXPECT_THAT(refusal([&] { (void)bad.numbers(1); }),
              HasSubstr("t.csv: line 2, column \"b\": \"x\" is not a number"));
  EXPECT_TRUE(std::isnan(bad.numbers(0)[1]));
  const std::vector<Index> first{0};
  EXPECT_THAT(refusal([&] { (void)bad.matrix(first); }),
              HasSubstr("t.csv: line 3, column \"a\": \"\" is not a number"));
  const CsvTable large = CsvTable::parse("a\n1e300\n", "t.csv");
  EXPECT_THAT(refusal([&] { (void)large.matrix(first); }), HasSubstr("1e300 is too large"));
  EXPECT_THAT(refusal([&] { (void)CsvTable::parse("a\n2.5\n", "t.csv").counts(0); }),
              HasSubstr("\"2.5\" is not a count"));
}

TEST(CsvColumns, are_found_by_name_or_refused_with_the_likeliest) {
  const CsvTable table = CsvTable::parse("subject,label\n1,a\n", "t.csv");
  EXPECT_EQ(table.column("label"), 1);
  EXPECT_FALSE(table.find("Label"));
  EXPECT_THAT(refusal([&] { (void)table.column("labl"); }),
              HasSubstr("t.csv: no column is called \"labl\" (did you mean \"label\"?); there are: "
                        "subject, label"));
}

}  // namespace
}  // namespace tyto
