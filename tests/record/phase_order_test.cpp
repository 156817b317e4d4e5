// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/phase_order.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::ElementsAre;

std::vector<std::string> in_order(const PhaseOrder& order, std::vector<PhaseKey> keys) {
  std::sort(keys.begin(), keys.end(),
            [&](const PhaseKey& a, const PhaseKey& b) { return order.before(a, b); });
  std::vector<std::string> names;
  for (const PhaseKey& key : keys) {
    names.push_back(key.name());
  }
  return names;
}

TEST(PhaseOrder, takes_the_order_the_protocol_gives) {
  const PhaseOrder order{{"dawn", "after"}, {"train", "test"}};
  EXPECT_THAT(
      in_order(
          order,
          {{1, "after", "test"}, {1, "dawn", "test"}, {0, "after", "test"}, {1, "dawn", "train"}}),
      ElementsAre("000_after_test", "001_dawn_train", "001_dawn_test", "001_after_test"));
}

TEST(PhaseOrder, puts_names_not_listed_behind_in_their_natural_order) {
  const PhaseOrder order{{"pre"}, {"train"}};
  EXPECT_THAT(
      in_order(order,
               {{0, "a", "test_10"}, {0, "a", "test_7"}, {0, "a", "train"}, {0, "pre", "test"}}),
      ElementsAre("000_pre_test", "000_a_train", "000_a_test_7", "000_a_test_10"));
}

TEST(PhaseOrder, puts_the_whole_increment_behind_its_batches) {
  const PhaseOrder order{{"pre", "post"}, {}};
  EXPECT_THAT(in_order(order, {{1, "post", "test"}, {1, "pre", "test", 2}, {1, "pre", "test", 1}}),
              ElementsAre("001-0001_pre_test", "001-0002_pre_test", "001_post_test"));
}

TEST(PhaseOrder, compares_numbers_within_names_as_numbers) {
  EXPECT_TRUE(comes_before_naturally("test_7", "test_10"));
  EXPECT_FALSE(comes_before_naturally("test_10", "test_7"));
  EXPECT_TRUE(comes_before_naturally("test", "test_1"));
  EXPECT_TRUE(comes_before_naturally("a2b1", "a2b10"));
  EXPECT_FALSE(comes_before_naturally("x1", "x1"));
  EXPECT_NE(comes_before_naturally("x01", "x1"), comes_before_naturally("x1", "x01"));
  EXPECT_TRUE(comes_before_naturally("x9", "x99999999999999999999999"));
}

}  // namespace
}  // namespace tyto
