// SPDX-License-Identifier: Apache-2.0
// What a run over clips says of its memories: the same with arms in processes of their own and
// after a break, and never above the budget.
#include <fstream>
#include <map>

#include "support/program.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::run_program;
using testing_support::Scratch;

// Six classes of 20 clips, each of 3 to 12 frames of four numbers.
void write_clips(const std::filesystem::path& folder) {
  make_folder(folder);
  Rng rng(8, "clips");
  std::string index = "id,label,frames\n";
  std::ofstream rows(folder / "frames.bin", std::ios::binary);
  for (int i = 0; i < 120; ++i) {
    const Index frames = 3 + rng.below(10);
    index += fmt::format("clip{},class {},{}\n", i, i % 6, frames);
    for (Index k = 0; k < frames; ++k) {
      for (int j = 0; j < 4; ++j) {
        const auto value = static_cast<float>((j == i % 6 % 4 ? 5.0 : i % 6 * 0.7) + rng.normal());
        rows.write(reinterpret_cast<const char*>(&value), sizeof value);
      }
    }
  }
  write_file(folder / "index.csv", index);
  write_file(folder / "dataset.yaml",
             "name: clips\nindex: index.csv\nfeatures: [{source: features, file: frames.bin, "
             "width: 4}]\n");
}

constexpr const char* kClipRun =
    "name: clips\nseed: 5\nprior_knowledge: none\ndata: clips\n"
    "world: {kind: increments, start: {classes: 3}, increments: 3, split: {test: 0.3}}\n"
    "protocol: owl\nfeedback: [1.0]\n"
    "predictors:\n"
    "  - {name: few, classifier: ncm, detector: knn,"
    " memory: {name: herding, budget: 40, unit: frames, frames: 2, choose: k_centre}}\n"
    "  - {name: free, classifier: ncm, detector: knn,"
    " memory: {name: class_balanced, budget: 40, unit: frames, frames: auto, choose: condensed}}\n"
    "  - {name: all, classifier: ncm, detector: knn, memory: unlimited}\n";

class MemoryRun : public testing::Test {
 protected:
  MemoryRun() {
    write_clips(scratch / "data/clips");
    write_file(scratch / "clips.yaml", kClipRun);
  }

  testing_support::Outcome run(const std::string& out, std::vector<std::string> more,
                               std::function<bool()> kill_when = {}) {
    std::vector<std::string> all{"run",    "clips.yaml", "--quiet", "--no-report",
                                 "--data", "data",       "--out",   out};
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all, {scratch.path(), std::move(kill_when), RLIM_INFINITY, ""});
  }

  std::string file(const std::string& out, const char* name) {
    return testing_support::slurp(scratch / (out + "/" + name));
  }

  Scratch scratch;
};

TEST_F(MemoryRun, has_the_same_memory_in_processes_and_after_a_break) {
  const auto whole = run("whole", {});
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr(" shown, "));
  EXPECT_THAT(whole.out, HasSubstr("%, budget 40 frames\n"));
  const std::string expected = file("whole", "memory.csv");
  ASSERT_EQ(run("jobs", {"--jobs", "2"}).code, 0);
  EXPECT_EQ(file("jobs", "memory.csv"), expected);
  EXPECT_EQ(file("jobs", "properties.json"), file("whole", "properties.json"));

  const auto cut = run("cut", {}, [&] {
    return std::filesystem::exists(scratch / "cut/arms") &&
           std::distance(std::filesystem::directory_iterator(scratch / "cut/arms"), {}) > 1;
  });
  EXPECT_NE(cut.code, 0);
  const auto resumed = run("cut", {"--resume"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(file("cut", "memory.csv"), expected);
  EXPECT_EQ(resumed.out.substr(resumed.out.find("memory: "), 40),
            whole.out.substr(whole.out.find("memory: "), 40));
}

TEST_F(MemoryRun, counts_every_frame_once_and_stays_below_the_budget) {
  ASSERT_EQ(run("whole", {}).code, 0);
  const CsvTable table = CsvTable::load(scratch / "whole/memory.csv");
  const auto cell = [&](Index row, const char* name) {
    return std::string(table.text(row, table.column(name)));
  };
  std::map<std::pair<std::string, std::string>, Index> sums;
  std::map<std::string, Index> steps;
  for (Index r = 0; r < table.rows(); ++r) {
    const auto key = std::pair(cell(r, "arm"), cell(r, "increment"));
    const Index frames = std::stol(cell(r, "frames"));
    EXPECT_EQ(std::stol(cell(r, "bytes")), 16 * frames);
    if (!cell(r, "class").empty()) {
      sums[key] += frames;
      continue;
    }
    ++steps[key.first];
    EXPECT_EQ(frames, sums[key]) << key.first << key.second;  // no other part keeps any
    const double share = std::stod(cell(r, "share"));
    EXPECT_NEAR(share, static_cast<double>(frames) / std::stod(cell(r, "frames_shown")), 1e-5);
    if (cell(r, "budget").empty()) {
      EXPECT_EQ(share, 1.0);
      EXPECT_EQ(cell(r, "frames_each"), "all");
    } else {
      EXPECT_LE(frames, std::stol(cell(r, "budget")));
    }
  }
  EXPECT_EQ(steps.size(), 3U);
  for (const auto& [arm, count] : steps) {
    EXPECT_EQ(count, 4) << arm;  // the start and three increments
  }
}

}  // namespace
}  // namespace tyto
