// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/files.hpp"

#include <fstream>

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::Scratch;

TEST(WriteFile, replaces_content_and_leaves_nothing_beside_it) {
  const Scratch scratch;
  write_file(scratch / "a", "one");
  write_file(scratch / "a", "two");
  EXPECT_EQ(read_file(scratch / "a"), "two");
  EXPECT_EQ(scratch.entries(), 1);
}

TEST(WriteFile, a_full_disk_is_a_sentence_and_leaves_the_old_content) {
  // /dev/full refuses every write; a folder that cannot be written stands in for the rename.
  const Scratch scratch;
  write_file(scratch / "kept", "old");
  std::filesystem::create_directory(scratch / "target");
  std::filesystem::create_directory(scratch / "target/inside");  // a file cannot replace it
  EXPECT_THROW(write_file(scratch / "target", "x"), Error);
  EXPECT_EQ(scratch.entries(), 2);
  EXPECT_EQ(read_file(scratch / "kept"), "old");
}

TEST(RemoveUnfinished, takes_away_what_a_kill_left_behind_and_nothing_else) {
  const Scratch scratch;
  write_file(scratch / "whole", "x");
  std::filesystem::create_directory(scratch / "inner");
  write_file(scratch / "inner/half.123.part", "x");  // as write_file names them
  remove_unfinished(scratch.path());
  EXPECT_TRUE(std::filesystem::exists(scratch / "whole"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch / "inner"));
}

TEST(ReadFile, names_the_file_that_is_missing) {
  try {
    read_file("no/such/file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_THAT(error.what(), HasSubstr("no/such/file"));
  }
  EXPECT_THROW(read_file("/"), Error);
}

TEST(Gzip, gives_back_what_was_packed_and_refuses_half_a_file) {
  const Scratch scratch;
  std::string text;
  for (int i = 0; i < 300000; ++i) {
    text += std::to_string(i * 7919L % 1000) + ",";
  }
  write_gz(scratch / "x.gz", text);
  EXPECT_EQ(read_maybe_gz(scratch / "x.gz"), text);
  const std::string packed = read_file(scratch / "x.gz");
  write_file(scratch / "half.gz", packed.substr(0, packed.size() / 2));
  EXPECT_THROW(read_maybe_gz(scratch / "half.gz"), Error);
  write_file(scratch / "twice.gz", packed + packed);  // two members
  EXPECT_EQ(read_maybe_gz(scratch / "twice.gz"), text + text);
}

TEST(FolderLock, is_held_by_one_at_a_time) {
  const Scratch scratch;
  {
    const FolderLock lock(scratch.path());
    EXPECT_THROW(FolderLock second(scratch.path()), Error);
  }
  const FolderLock again(scratch.path());
}

TEST(MappedFile, shows_the_bytes_of_the_file) {
  const Scratch scratch;
  write_file(scratch / "m", "abc");
  const MappedFile mapped(scratch / "m");
  ASSERT_EQ(mapped.bytes().size(), 3U);
  EXPECT_EQ(std::to_integer<char>(mapped.bytes()[1]), 'b');
  write_file(scratch / "empty", "");
  EXPECT_TRUE(MappedFile(scratch / "empty").bytes().empty());
  EXPECT_THROW(MappedFile(scratch / "none"), Error);
}

}  // namespace
}  // namespace tyto
