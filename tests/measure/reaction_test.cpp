// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/reaction.hpp"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

std::vector<std::uint8_t> flags(std::string_view text) {
  std::vector<std::uint8_t> made;
  for (const char c : text) {
    made.push_back(c == '1' ? 1 : 0);
  }
  return made;
}

std::optional<double> react(std::string_view novel, std::string_view called,
                            ReactionForm form = {}) {
  return reaction_time(flags(novel), flags(called), form);
}

TEST(ReactionTime, of_the_worked_example_with_a_call_on_a_known_sample) {
  // a = 3, d = 6, z = 9, m = 3, r = 5: 2 / (7/3 + 5/3)
  EXPECT_DOUBLE_EQ(*react("0001110011", "0000001000"), 0.5);
}

TEST(ReactionTime, of_a_call_at_the_last_sample) {
  // d = 9, m = 5: 2 / (7/6 + 1)
  EXPECT_NEAR(*react("0001110011", "0000000001"), 0.923077, 1e-6);
}

TEST(ReactionTime, is_one_if_novelty_is_never_called) {
  EXPECT_EQ(react("0001110011", "0000000000"), 1.0);
}

TEST(ReactionTime, passes_over_false_alarms_before_the_first_novel_sample) {
  // a = 1, d = 2, z = 3, m = 1, r = 2: 2 / (3/1 + 2/1)
  EXPECT_DOUBLE_EQ(*react("0101", "1010"), 0.4);
  EXPECT_EQ(react("0001", "1110"), 1.0);
}

TEST(ReactionTime, is_zero_if_the_first_novel_sample_is_noticed) {
  EXPECT_EQ(react("0011", "0010"), 0.0);
  EXPECT_EQ(react("0011", "0010", kReactionText), 0.0);
  EXPECT_EQ(react("0011", "0010", kReactionCaption), 0.0);
}

TEST(ReactionTime, is_missing_if_nothing_is_novel) {
  EXPECT_FALSE(react("0000", "0100"));
  EXPECT_FALSE(react("", ""));
}

TEST(ReactionTime, as_the_text_words_it_counts_novel_samples_before_the_call) {
  // a = 0, d = 2, z = 4, r = 4; m = 2 of [0, 2): 2 / (5/2 + 4/2). With [0, 2]: m = 3.
  EXPECT_DOUBLE_EQ(*react("11101", "00100", kReactionText), 2 / (2.5 + 2.0));
  EXPECT_DOUBLE_EQ(*react("11101", "00100"), 2 / (2.5 + 4.0 / 3.0));
}

TEST(ReactionTime, as_the_caption_words_it_ends_at_the_last_novel_sample) {
  // a = 0, d = 1, z = 2 of five samples, r = 2, m = 1: 2 / (3/1 + 2/1)
  EXPECT_DOUBLE_EQ(*react("10100", "01000", kReactionCaption), 0.4);
  EXPECT_DOUBLE_EQ(*react("10100", "01000"), 2 / (5.0 + 2.0));
  EXPECT_EQ(react("10100", "00010", kReactionCaption), 1.0);  // called after z
}

TEST(ReactionTime, refuses_calls_and_samples_of_different_number) {
  EXPECT_THROW(static_cast<void>(react("01", "011")), Error);
}

TEST(ReactionTime, lies_in_the_unit_interval_and_grows_with_the_wait) {
  Rng rng(1, "reaction");
  for (const ReactionForm form : {ReactionForm{}, kReactionText, kReactionCaption}) {
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<std::uint8_t> novel(30);
      for (auto& flag : novel) {
        flag = static_cast<std::uint8_t>(rng.below(3) == 0);
      }
      novel[4] = 1;
      double last = 0.0;
      for (std::size_t d = 4; d < novel.size(); ++d) {
        std::vector<std::uint8_t> called(30, 0);
        called[d] = 1;
        const auto value = reaction_time(novel, called, form);
        EXPECT_GE(*value, last);
        EXPECT_LE(*value, 1.0);
        last = *value;
      }
    }
  }
}

}  // namespace
}  // namespace tyto
