// SPDX-License-Identifier: Apache-2.0
// What may be replaced and what is written to: the paths that people give to --out.
#include "tyto/core/files/destination.hpp"

#include <array>

#include "support/scratch.hpp"
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::Scratch;

std::string write_problem(const fs::path& path) {
  try {
    write_file(path, "x");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    return error.what();
  }
  return "";
}

TEST(Destination, a_link_stays_and_the_file_behind_it_is_replaced) {
  const Scratch scratch;
  fs::create_directories(scratch / "inner");
  write_file(scratch / "inner/file", "old");
  fs::create_symlink("inner/file", scratch / "first");  // from where the link is
  fs::create_symlink(scratch / "first", scratch / "second");
  write_file(scratch / "second", "new");
  EXPECT_EQ(read_file(scratch / "inner/file"), "new");
  EXPECT_TRUE(fs::is_symlink(scratch / "first"));
  EXPECT_TRUE(fs::is_symlink(scratch / "second"));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch / "inner"), fs::directory_iterator()), 1);
}

TEST(Destination, a_link_to_nothing_makes_the_file_it_names) {
  const Scratch scratch;
  fs::create_symlink("later", scratch / "link");
  write_file(scratch / "link", "x");
  EXPECT_TRUE(fs::is_symlink(scratch / "link"));
  EXPECT_EQ(read_file(scratch / "later"), "x");
}

TEST(Destination, a_file_keeps_its_permissions) {
  const Scratch scratch;
  write_file(scratch / "secret", "old");
  fs::permissions(scratch / "secret", fs::perms::owner_read | fs::perms::owner_write);
  write_file(scratch / "secret", "new");
  EXPECT_EQ(fs::status(scratch / "secret").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST(Destination, a_pipe_is_written_to) {
  const Scratch scratch;
  const fs::path pipe = scratch / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  write_file(pipe, "through");
  std::array<char, 64> heard{};
  EXPECT_EQ(::read(reader, heard.data(), heard.size()), 7);
  ::close(reader);
  EXPECT_STREQ(heard.data(), "through");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(Destination, devices_are_written_to) {
  const Scratch scratch;
  fs::create_symlink("/dev/null", scratch / "sink");
  write_file(scratch / "sink", "x");
  write_file("/dev/null", "x");
  EXPECT_TRUE(fs::is_symlink(scratch / "sink"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THAT(write_problem("/dev/full"), HasSubstr("/dev/full: cannot write: No space left"));
}

TEST(Destination, an_open_file_is_written_on) {
  const Scratch scratch;
  const int file = ::open((scratch / "log").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_EQ(::write(file, "before ", 7), 7);
  const fs::path path = "/dev/fd/" + std::to_string(file);
  write_file(path, "now ");
  ASSERT_EQ(::write(file, "after", 5), 5);
  ::close(file);
  EXPECT_EQ(read_file(scratch / "log"), "before now after");
  EXPECT_TRUE(is_standard_output("/dev/stdout"));
  EXPECT_FALSE(is_standard_output("/dev/stderr"));
  EXPECT_FALSE(is_standard_output(scratch / "log"));
}

TEST(Destination, what_cannot_be_written_is_a_sentence) {
  const Scratch scratch;
  fs::create_directory(scratch / "folder");
  fs::create_symlink("folder", scratch / "to_folder");
  fs::create_symlink("missing/file", scratch / "astray");
  fs::create_symlink("round", scratch / "round");
  write_file(scratch / "file", "kept");
  EXPECT_THAT(write_problem(scratch / "folder"), HasSubstr("folder: is a folder; name a file"));
  EXPECT_THAT(write_problem(scratch / "to_folder"),
              testing::AllOf(HasSubstr("to_folder: a link to "), HasSubstr("is a folder")));
  EXPECT_THAT(write_problem(scratch / "astray"),
              testing::AllOf(HasSubstr("astray: cannot create "), HasSubstr("missing/file")));
  EXPECT_THAT(write_problem(scratch / "round"), HasSubstr("leads in a circle"));
  EXPECT_THAT(write_problem(scratch / "file/below"), HasSubstr("Not a directory"));
  EXPECT_THAT(write_problem(scratch / "none/file"), HasSubstr("cannot create: No such file"));
  if (::geteuid() != 0) {  // root may write everything
    fs::permissions(scratch / "file", fs::perms::owner_read);
    EXPECT_THAT(write_problem(scratch / "file"), HasSubstr("cannot write: Permission denied"));
  }
  EXPECT_EQ(read_file(scratch / "file"), "kept");
  EXPECT_EQ(scratch.entries(), 5);
}

}  // namespace
}  // namespace tyto
