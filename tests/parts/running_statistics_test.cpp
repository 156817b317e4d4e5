// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/running_statistics.hpp"

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

std::vector<int> three_classes(Index rows) {
  std::vector<int> labels;
  for (Index i = 0; i < rows; ++i) {
    labels.push_back(1 + static_cast<int>(i % 3));
  }
  return labels;
}

ClassStatistics added_up(const std::vector<Matrix>& lessons) {
  ClassStatistics statistics(Scatter::full);
  for (const Matrix& rows : lessons) {
    std::vector<std::int32_t> keys;
    for (const int label : three_classes(rows.rows())) {
      keys.push_back(label);
    }
    for (Index begin = 0; begin < rows.rows(); begin += 8192) {  // as in a lesson
      const Index count = std::min<Index>(8192, rows.rows() - begin);
      statistics.add(rows.middleRows(begin, count), std::span(keys).subspan(at(begin), at(count)));
    }
  }
  return statistics;
}

void learn_from(ClassStatistics& statistics, const Matrix& rows, bool first) {
  ToyExperience experience(rows, three_classes(rows.rows()));
  experience.starts_over_ = first;
  ToyWork work;
  learn_statistics(statistics, Scatter::full, experience, work);
}

void expect_equal(const ClassStatistics& a, const ClassStatistics& b) {
  EXPECT_EQ(a.counts(), b.counts());
  EXPECT_EQ(a.means(), b.means());
  EXPECT_EQ(a.covariance(), b.covariance());
}

TEST(RunningStatistics, two_who_learn_the_same_have_what_each_would_have_alone) {
  const Matrix start = random_rows(9000, 3, 1);  // two blocks
  const Matrix more = random_rows(50, 3, 2);
  ClassStatistics one(Scatter::full);
  ClassStatistics two(Scatter::full);
  learn_from(one, start, true);
  learn_from(two, start, true);
  expect_equal(two, added_up({start}));
  learn_from(one, more, false);
  learn_from(two, more, false);
  expect_equal(one, added_up({start, more}));
  expect_equal(two, one);
}

TEST(RunningStatistics, lessons_that_begin_alike_are_told_apart) {
  const Matrix start = random_rows(9000, 3, 3);
  ClassStatistics one(Scatter::full);
  learn_from(one, start, true);
  Matrix other = start;
  other(8999, 1) += 1.0F;  // in the second block
  ClassStatistics two(Scatter::full);
  learn_from(two, other, true);
  expect_equal(two, added_up({other}));
  ClassStatistics three(Scatter::full);  // its first block alone
  learn_from(three, other.topRows(8192), true);
  expect_equal(three, added_up({other.topRows(8192)}));
  ClassStatistics four(Scatter::full);  // more than was known
  learn_from(four, other, true);
  expect_equal(four, added_up({other}));
}

TEST(RunningStatistics, the_same_rows_added_twice_count_twice) {
  const Matrix rows = random_rows(30, 3, 4);
  ClassStatistics statistics(Scatter::full);
  learn_from(statistics, rows, true);
  learn_from(statistics, rows, false);
  expect_equal(statistics, added_up({rows, rows}));
}

}  // namespace
}  // namespace tyto
