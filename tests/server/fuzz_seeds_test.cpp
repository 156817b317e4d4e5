// SPDX-License-Identifier: Apache-2.0
// The seeds of the fuzzer through its entry points, and cut at every byte: quick and every time,
// where tools/fuzz.sh is thorough.
#include <filesystem>
#include <string>

#include "fuzz/entry_points.hpp"
#include "support/places.hpp"
#include "support/program.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

using Entry = int (*)(const std::uint8_t*, std::size_t);

void feed(Entry entry, const std::string& name) {
  int seeds = 0;
  const std::filesystem::path folder = testing_support::in_tree("/tests/fuzz/seeds/" + name);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string bytes = testing_support::slurp(file.path());
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const std::string cut = bytes.substr(0, size);  // of its own, so that a step too far is seen
      EXPECT_EQ(entry(reinterpret_cast<const std::uint8_t*>(cut.data()), cut.size()), 0);
    }
    ++seeds;
  }
  EXPECT_GE(seeds, 5);
}

TEST(FuzzSeeds, of_multipart_bodies_break_nothing) {
  feed(fuzz_multipart, "multipart");
}

TEST(FuzzSeeds, of_posted_rows_break_nothing) {
  feed(fuzz_results, "results");
}

TEST(FuzzSeeds, of_json_break_nothing) {
  feed(fuzz_json, "json");
}

TEST(FuzzSeeds, of_tables_break_nothing) {
  feed(fuzz_tables, "tables");
}

TEST(FuzzSeeds, of_settings_break_nothing) {
  feed(fuzz_settings, "settings");
}

TEST(FuzzSeeds, of_archives_break_nothing) {
  feed(fuzz_archive, "archive");
}

TEST(FuzzSeeds, of_files_break_nothing) {
  feed(fuzz_files, "files");
}

}  // namespace
}  // namespace tyto
