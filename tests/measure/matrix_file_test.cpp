// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/tables/matrix_file.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

MatrixFile parsed(const std::string& text, const MatrixFileOptions& options = {}) {
  return parse_task_matrix(text, "m.csv", options);
}

std::string refusal(const std::string& text, const MatrixFileOptions& options = {}) {
  try {
    parsed(text, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "no error";
}

// 0.5 after the first task; 0.25 and 0.75 after the second.
void expect_small(const std::string& text) {
  const MatrixFile file = parsed(text);
  ASSERT_EQ(file.matrix.size(), 2) << text;
  EXPECT_EQ(file.matrix.accuracy(0, 0), 0.5) << text;
  EXPECT_TRUE(std::isnan(file.matrix.accuracy(0, 1))) << text;
  EXPECT_EQ(file.matrix.accuracy(1, 0), 0.25) << text;
  EXPECT_EQ(file.matrix.accuracy(1, 1), 0.75) << text;
  EXPECT_FALSE(file.percent);
}

TEST(ParseTaskMatrix, takes_the_forms_people_write) {
  expect_small("0.5\n0.25,0.75\n");
  expect_small("0.5,\n0.25,0.75");
  expect_small("# accuracies\r\n0.5,nan\r\n\r\n0.25,0.75\r\n");
  expect_small("0.5;-\n0.25;0.75\n");
  expect_small("0.5\n  0.25   0.75 \n");
  expect_small("first,second\n0.5,\n0.25,0.75\n");
  expect_small("after,1,2\n1,0.5,\n2,0.25,0.75\n");
  expect_small(",1,2\nbase,0.5,\nnext,0.25,0.75\n");
  expect_small("1,2\n0.5,\n0.25,0.75\n");
  expect_small("base,0.5\nnext,0.25,0.75\n");
}

TEST(ParseTaskMatrix, reads_how_many_classes_and_samples_a_task_has) {
  const MatrixFile rows = parsed("classes,11,10\n50,\n25,75\nsamples,1,3\n");
  EXPECT_THAT(rows.matrix.classes, ElementsAre(11, 10));
  EXPECT_THAT(rows.matrix.samples, ElementsAre(1, 3));
  EXPECT_TRUE(rows.percent);
  EXPECT_THAT(rows.matrix.overall, ElementsAre(50, (25 + 3 * 75) / 4.0));
  EXPECT_THAT(rows.notes, ElementsAre(HasSubstr("taken for percent")));
  const MatrixFile columns = parsed("after,a,b,classes\n1,0.5,,11\n2,0.25,0.75,10\n");
  EXPECT_THAT(columns.matrix.classes, ElementsAre(11, 10));
  EXPECT_EQ(columns.matrix.accuracy(1, 1), 0.75);
  EXPECT_THAT(columns.matrix.overall, ElementsAre(0.5, (11 * 0.25 + 10 * 0.75) / 21));
  EXPECT_THAT(
      parsed("0.5\n0.25,0.75", {.percent = true, .classes = {1, 3}, .samples = {}}).matrix.classes,
      ElementsAre(1, 3));
}

TEST(ParseTaskMatrix, keeps_the_next_task_above_the_diagonal_and_says_what_is_missing) {
  const MatrixFile file = parsed("0.5,0.1,0.9\n,0.6,0.2\n0.1,0.2,0.3\n");
  EXPECT_EQ(file.matrix.accuracy(0, 1), 0.1);
  EXPECT_TRUE(std::isnan(file.matrix.accuracy(0, 2)));
  EXPECT_THAT(file.notes, Contains(HasSubstr("1 entries on or below the diagonal are missing")));
  EXPECT_TRUE(std::isnan(file.matrix.overall[1]));
}

TEST(ParseTaskMatrix, names_line_column_value_and_rule_of_what_it_cannot_take) {
  EXPECT_EQ(refusal(""), "m.csv: holds no accuracies");
  EXPECT_THAT(refusal("0.5\n0.25,many\n"),
              HasSubstr("m.csv: line 2, column 2: \"many\" is no accuracy; a share in [0, 1]"));
  EXPECT_THAT(refusal("50\n25,120\n"), HasSubstr("line 2, column 2: \"120\" is no accuracy"));
  EXPECT_THAT(refusal("0.5\n-0.1,0.2\n"), HasSubstr("line 2, column 1: \"-0.1\" is no accuracy"));
  EXPECT_THAT(refusal("0.5,0.1,0.2\n0.25,0.1\n"),
              HasSubstr("m.csv: line 1 has 3 accuracies, but there are 2 rows"));
  EXPECT_THAT(refusal("0.5\n0.25\n"), HasSubstr("2 rows with up to 1 accuracies"));
  EXPECT_THAT(refusal("0.5\n"), HasSubstr("a matrix of two tasks or more is needed"));
  EXPECT_EQ(refusal("0.5\n0.25,0.75\nclasses,3\n"), "m.csv: 2 tasks, but 1 numbers of classes");
  EXPECT_THAT(refusal("0.5\n0.25,0.75\nclasses,3,0\n"),
              HasSubstr("line 3, column 3: \"0\" is no number of classes or samples"));
}

TEST(ParseTaskValues, takes_a_row_a_column_a_diagonal_or_one_for_all) {
  const MatrixFile of = parsed("50\n25,75\n");
  const auto values = [&](const std::string& text) { return parse_task_values(text, "j", of); };
  EXPECT_THAT(values("90,80"), ElementsAre(90, 80));
  EXPECT_THAT(values("90\n80\n"), ElementsAre(90, 80));
  EXPECT_THAT(values("90\n10,80\n"), ElementsAre(90, 80));
  EXPECT_THAT(values("10"), ElementsAre(10, 10));
  EXPECT_THROW(values("1,2,3"), Error);
  const MatrixFile shares = parsed("0.5\n0.25,0.75\n");
  EXPECT_THROW(parse_task_values("90,80", "j", shares), Error);
}

}  // namespace
}  // namespace tyto
