// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/commit_pace.hpp"

#include <gtest/gtest.h>

namespace tyto {
namespace {

TEST(CommitPace, quick_commits_are_written_after_every_step) {
  CommitPace pace;
  EXPECT_TRUE(pace.is_due(100.0));
  pace.wrote(100.0, 100.1);
  EXPECT_TRUE(pace.is_due(100.1));
}

TEST(CommitPace, slow_ones_take_a_twentieth_of_the_time) {
  CommitPace pace;
  pace.wrote(100.0, 102.0);
  EXPECT_FALSE(pace.is_due(141.0));
  EXPECT_TRUE(pace.is_due(142.0));
  pace.wrote(142.0, 142.1);  // quick again
  EXPECT_TRUE(pace.is_due(142.2));
}

}  // namespace
}  // namespace tyto
