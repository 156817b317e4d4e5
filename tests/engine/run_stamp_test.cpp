// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/run_stamp.hpp"

#include "support/scratch.hpp"
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

TEST(RunStamp, changes_with_every_commit_and_with_nothing_else) {
  const testing_support::Scratch scratch;
  const auto folder = scratch / "run";
  EXPECT_EQ(run_stamp(folder), "");
  std::filesystem::create_directories(folder / "checkpoints");
  std::filesystem::create_directories(folder / "seed-2/checkpoints");
  EXPECT_EQ(run_stamp(folder), "");
  write_file(folder / "run.json", "{}");
  std::string last = run_stamp(folder);
  EXPECT_NE(last, "");
  write_file(folder / "report.html", "page");
  EXPECT_EQ(run_stamp(folder), last);
  for (const char* file : {"checkpoints/a.npz", "seed-2/run.json", "seed-2/checkpoints/a.npz"}) {
    write_file(folder / file, "first");
    EXPECT_NE(run_stamp(folder), last) << file;
    last = run_stamp(folder);
    write_file(folder / file, "second");
    EXPECT_NE(run_stamp(folder), last) << file;
    last = run_stamp(folder);
  }
}

}  // namespace
}  // namespace tyto
