// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/checkpoint.hpp"

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::Scratch;

State commit_of(std::int64_t number) {
  State state;
  state.set("number", number);
  return state;
}

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest() {
    checkpoint.write(commit_of(1));
    checkpoint.write(commit_of(2));
    checkpoint.write(commit_of(3));
  }

  std::int64_t number() {
    warning.clear();
    const auto state = checkpoint.read([this](std::string_view what) { warning = what; });
    return state ? state->get<std::int64_t>("number") : 0;
  }

  std::string refusal() {
    try {
      number();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::state);
      return error.what();
    }
    return "";
  }

  static void truncate(const std::filesystem::path& file) {
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  }

  Scratch scratch;
  std::filesystem::path last = scratch / "a.b-50pct.npz", before = scratch / "a.b-50pct.before.npz";
  Checkpoint checkpoint{last};
  std::string warning;
};

TEST_F(CheckpointTest, reads_the_last_commit) {
  EXPECT_EQ(number(), 3);
  EXPECT_EQ(warning, "");
  EXPECT_FALSE(Checkpoint(scratch / "none.npz").read([](std::string_view) {}));
}

TEST_F(CheckpointTest, goes_back_one_commit_where_the_last_is_damaged) {
  truncate(last);
  EXPECT_EQ(number(), 2);
  EXPECT_THAT(warning, HasSubstr("a.b-50pct.npz"));
  EXPECT_THAT(warning, HasSubstr("going on from the commit before it"));
  checkpoint.write(commit_of(7));
  truncate(last);
  EXPECT_EQ(number(), 2) << "the damaged file must not have replaced the good one";
}

TEST_F(CheckpointTest, survives_a_kill_between_the_two_renames) {
  std::filesystem::rename(last, before);
  EXPECT_EQ(number(), 3);
  checkpoint.write(commit_of(4));
  EXPECT_EQ(number(), 4);
  std::filesystem::remove(last);
  EXPECT_EQ(number(), 3);
}

TEST_F(CheckpointTest, says_so_where_nothing_can_be_read) {
  truncate(last);
  truncate(before);
  EXPECT_THAT(refusal(), HasSubstr("no commit of this arm can be read"));
  EXPECT_TRUE(std::filesystem::exists(last));
}

TEST_F(CheckpointTest, leaves_a_checkpoint_of_another_version_alone) {
  State other = commit_of(9);
  other.set("format", std::int64_t{99});
  other.set("version", std::string("7.1"));
  write_archive(last, other);
  EXPECT_THAT(refusal(), HasSubstr("a state of format 99, written by Tyto 7.1"));
  EXPECT_TRUE(std::filesystem::exists(last));
  EXPECT_TRUE(std::filesystem::exists(before));
}

}  // namespace
}  // namespace tyto
