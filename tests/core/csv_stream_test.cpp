// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/csv/csv_stream.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using Cells = std::vector<std::vector<std::string>>;

// What comes of a text that arrives in one piece, read `most` records at a time.
Cells streamed(std::string_view text, Index most = 100) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  EXPECT_EQ(::write(ends[1], text.data(), text.size()), std::ssize(text));
  ::close(ends[1]);
  Cells all;
  std::string problem;
  try {
    CsvStream stream(ends[0], "t.csv");
    for (auto some = stream.read(most, true); !some.empty(); some = stream.read(most, true)) {
      EXPECT_LE(std::ssize(some), most);
      for (auto& record : some) {
        all.push_back(std::move(record.cells));
      }
    }
  } catch (const Error& error) {
    problem = error.what();
  }
  ::close(ends[0]);
  if (!problem.empty()) {
    throw Error(ErrorKind::data, problem);
  }
  return all;
}

TEST(CsvStream, reads_quotes_line_ends_and_blank_lines) {
  const Cells expected{{"a", "b,\"c\"\nd", ""}, {"1", "", "3"}};
  EXPECT_EQ(streamed("\xEF\xBB\xBF"
                     "a,\"b,\"\"c\"\"\nd\",\r\n\n1,,3"),
            expected);
  EXPECT_EQ(streamed("a,\"b,\"\"c\"\"\nd\",\n1,,3\n", 1), expected);
  EXPECT_EQ(streamed(""), Cells());
  EXPECT_EQ(streamed("\n\n"), Cells());
}

TEST(CsvStream, names_the_line_of_a_bad_quote) {
  for (const auto& [text, what] : std::vector<std::pair<std::string, std::string>>{
           {"a\nb,\"c\nd", "t.csv: line 2, column 2: a quote that is never closed"},
           {"a\n\"b\"c\n", "t.csv: line 2, column 1: text behind a closing quote"},
           {"a\n\nb,c\"d\"\n",
            "t.csv: line 3, column 2: a quote inside a field that does not begin with one"}}) {
    try {
      (void)streamed(text);
      FAIL() << text;
    } catch (const Error& problem) {
      EXPECT_EQ(problem.what(), what);
    }
  }
}

TEST(CsvStream, returns_what_has_arrived_without_waiting_for_more) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  CsvStream stream(ends[0], "pipe");
  ASSERT_EQ(::write(ends[1], "1,2\n3,4\n5,", 10), 10);
  EXPECT_EQ(stream.read(100, false).size(), 2U);
  ASSERT_EQ(::write(ends[1], "6\n", 2), 2);
  const auto last = stream.read(100, false);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].cells, (std::vector<std::string>{"5", "6"}));
  EXPECT_EQ(last[0].line, 3);
  ::close(ends[1]);
  EXPECT_TRUE(stream.read(100, false).empty());
  ::close(ends[0]);
}

}  // namespace
}  // namespace tyto
