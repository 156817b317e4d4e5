// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/whole_folder.hpp"

#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using Folder = std::filesystem::path;

void write_two(const Folder& folder) {
  write_file(folder / "a", "1");
  write_file(folder / "b", "2");
}

TEST(WriteWholeFolder, makes_parents_and_fills_an_empty_folder) {
  const testing_support::Scratch scratch;
  write_whole_folder(scratch / "deep/new", write_two);
  EXPECT_EQ(read_file(scratch / "deep/new/b"), "2");
  std::filesystem::create_directory(scratch / "empty");
  write_whole_folder(scratch / "empty/", write_two);
  EXPECT_EQ(read_file(scratch / "empty/a"), "1");
  EXPECT_EQ(scratch.entries(), 2);
}

TEST(WriteWholeFolder, fills_the_empty_folder_behind_a_link) {
  const testing_support::Scratch scratch;
  std::filesystem::create_directory(scratch / "empty");
  std::filesystem::create_symlink("empty", scratch / "link");
  std::filesystem::create_symlink("nowhere", scratch / "astray");
  write_whole_folder(scratch / "link", write_two);
  EXPECT_EQ(read_file(scratch / "empty/a"), "1");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link"));
  EXPECT_THROW(write_whole_folder(scratch / "link", write_two), Error);  // full by now
  EXPECT_THROW(write_whole_folder(scratch / "astray", write_two), Error);
  EXPECT_EQ(scratch.entries(), 3);
}

TEST(WriteWholeFolder, leaves_nothing_behind_when_filling_fails) {
  const testing_support::Scratch scratch;
  EXPECT_THROW(write_whole_folder(scratch / "new",
                                  [](const Folder& folder) {
                                    write_two(folder);
                                    throw Error(ErrorKind::data, "no more");
                                  }),
               Error);
  EXPECT_EQ(scratch.entries(), 0);
}

TEST(WriteWholeFolder, refuses_what_is_there_before_it_fills) {
  const testing_support::Scratch scratch;
  write_file(scratch / "file", "kept");
  bool filled = false;
  for (const Folder& taken : {scratch.path(), scratch / "file"}) {
    EXPECT_THROW(write_whole_folder(taken, [&](const Folder&) { filled = true; }), Error);
  }
  EXPECT_FALSE(filled);
  EXPECT_EQ(read_file(scratch / "file"), "kept");
}

}  // namespace
}  // namespace tyto
