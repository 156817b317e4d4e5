// SPDX-License-Identifier: Apache-2.0
// The published counts come from the published lists by our rules.
#include "tyto/data/tasks/trimming.hpp"

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "support/places.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::ElementsAre;

const std::filesystem::path kVclimbLists = testing_support::in_tree("/../shared/data/vclimb");

TaskList segments(const std::string& rows) {
  return read_task_list(CsvTable::parse(
      "split,task,label,class_name,video_id,t_start,t_end,video_frames,fps\n" + rows, "tasks.csv"));
}

std::vector<std::vector<Index>> bounds(const TrimmedList& list) {
  std::vector<std::vector<Index>> all;
  for (const TaskItem& item : list.items) {
    all.push_back({item.row, item.first, item.end});
  }
  return all;
}

constexpr TrimRule kUntrimmed{1, 1, 8};

TEST(Trimming, rounds_half_to_even_and_clips_to_the_video) {
  // 0.25 s at 10 a second is frame 2.5, thus 2; 1.75 s is 17.5, thus 18; 9 s is beyond the end.
  const TaskList list = segments(
      "train,0,0,run,a,0.25,1.75,40,10\n"
      "train,0,0,run,a,2,9,40,10\n"
      "train,0,0,run,a,3.3,4.5,40,10\n");
  const TrimmedList trimmed = trim_list(list, {}, Rng(1));
  EXPECT_THAT(bounds(trimmed), ElementsAre(ElementsAre(0, 2, 18), ElementsAre(1, 20, 40)));
  EXPECT_EQ(trimmed.too_short, 1) << "seven frames, from 33 to the end";
  EXPECT_THAT(trimmed.notes(), ElementsAre("1 segments left out: too few frames in them"));
}

TEST(Trimming, shows_a_whole_video_by_its_longest_segment) {
  const TaskList list = segments(
      "train,0,0,run,a,0,1,40,10\n"
      "train,0,0,run,a,1,3,40,10\n"
      "train,0,0,run,a,0,2,40,10\n"  // as long as the one before, which stays
      "train,0,0,run,b,2,2,30,10\n"  // no length
      "train,0,0,run,c,0,1,30,10\n"  // two classes
      "train,0,1,walk,c,1,2,30,10\n"
      "train,0,1,walk,d,1,2,30,10\n");
  const TrimmedList whole = trim_list(list, kUntrimmed, Rng(1));
  EXPECT_THAT(bounds(whole), ElementsAre(ElementsAre(1, 0, 40), ElementsAre(6, 0, 30)));
  EXPECT_TRUE(whole.items[0].untrimmed);
  EXPECT_EQ(whole.several_classes, 1);
  EXPECT_EQ(whole.without_length, 1);
}

TEST(Trimming, draws_the_share_of_videos_of_each_split_by_the_stream) {
  std::string rows;
  for (int v = 0; v < 40; ++v) {
    rows += fmt::format("{},0,0,run,v{},0,1,60,30\n", v < 30 ? "train" : "val", v);
  }
  const TaskList list = segments(rows);
  const auto untrimmed = [&](const TrimRule& rule, std::uint64_t seed) {
    std::vector<Index> chosen;
    for (const TaskItem& item : trim_list(list, rule, Rng(seed)).items) {
      if (item.untrimmed) {
        chosen.push_back(item.row);
      }
    }
    return chosen;
  };
  const std::vector<Index> drawn = untrimmed({0.5, 0.2, 8}, 3);
  EXPECT_EQ(drawn.size(), 17U) << "15 of 30 and 2 of 10";
  EXPECT_EQ(std::count_if(drawn.begin(), drawn.end(), [](Index row) { return row < 30; }), 15);
  EXPECT_EQ(untrimmed({0.5, 0.2, 8}, 3), drawn);
  EXPECT_NE(untrimmed({0.5, 0.2, 8}, 4), drawn);
  EXPECT_EQ(untrimmed({0, 1, 8}, 3).size(), 10U);
}

TEST(Trimming, leaves_lists_without_segments_as_they_are) {
  const TaskList list = read_task_list(
      CsvTable::parse("split,task,class_name,video_id\ntrain,0,run,a\ntest,0,run,b\n", "t.csv"));
  EXPECT_THAT(bounds(trim_list(list, kUntrimmed, Rng(1))),
              ElementsAre(ElementsAre(0, 0, 0), ElementsAre(1, 0, 0)));
}

// By task and split.
using Counts = std::map<std::pair<Index, std::string>, Index>;

Counts counted(const TaskList& list, const TrimmedList& shown) {
  Counts counts;
  for (const TaskItem& item : shown.items) {
    const TaskListRow& row = list.rows[at(item.row)];
    ++counts[{list.task[at(row.label)], std::string(row.split)}];
  }
  return counts;
}

TEST(Trimming, gives_every_published_count_of_every_task) {
  if (!std::filesystem::exists(kVclimbLists)) {
    GTEST_SKIP() << "the published lists are not at " << kVclimbLists;
  }
  const CsvTable counts = CsvTable::load(kVclimbLists / "task_counts.csv");
  Index compared = 0;
  for (const std::string name :
       {"ucf101_10tasks", "ucf101_20tasks", "activitynet_10tasks", "activitynet_20tasks"}) {
    const TaskList list = load_task_list(kVclimbLists / (name + ".csv.gz"));
    TrimRule all_rows;
    all_rows.least_frames = 0;
    const Counts rows = counted(list, trim_list(list, all_rows, Rng(1)));
    const Counts trimmed = counted(list, trim_list(list, {}, Rng(1)));
    const Counts whole = counted(list, trim_list(list, kUntrimmed, Rng(1)));
    for (Index r = 0; r < counts.rows(); ++r) {
      if (counts.text(r, counts.column("dataset")) != name) {
        continue;
      }
      const auto task = static_cast<Index>(counts.number(r, counts.column("task")));
      EXPECT_EQ(std::count(list.task.begin(), list.task.end(), task),
                counts.number(r, counts.column("classes")));
      const auto expect = [&](const Counts& found, const std::string& split,
                              const std::string& column) {
        const Index cell = counts.column(column);
        if (!counts.text(r, cell).empty()) {
          EXPECT_EQ(found.at({task, split}), counts.number(r, cell)) << name << task << column;
          ++compared;
        }
      };
      expect(rows, "train", "train");
      expect(rows, "validate", "val");
      expect(rows, "test", "test");
      expect(trimmed, "train", "trimmed_usable_train");
      expect(trimmed, "validate", "trimmed_usable_val");
      expect(whole, "train", "untrimmed_train");
      expect(whole, "validate", "untrimmed_val");
    }
  }
  EXPECT_EQ(compared, 30 * 3 + 30 * 6);
}

// Table 1 of the paper, rows of ActivityNet, and what it calls the average frames of a video: those
// are of whole videos of validation, counted per video (3542) and per segment (3879), rounded down
// as the others of that table.
TEST(Trimming, gives_the_numbers_of_table_1_and_the_true_length_of_segments) {
  if (!std::filesystem::exists(kVclimbLists)) {
    GTEST_SKIP() << "the published lists are not at " << kVclimbLists;
  }
  const TaskList list = load_task_list(kVclimbLists / "activitynet_10tasks.csv.gz");
  TrimRule all_rows;
  all_rows.least_frames = 0;
  const TrimmedList trimmed = trim_list(list, all_rows, Rng(1));
  const TrimmedList whole = trim_list(list, kUntrimmed, Rng(1));

  struct Sum {
    double items = 0, frames = 0, video_frames = 0;
  };

  const auto sums = [&](const TrimmedList& shown) {
    std::map<std::string_view, Sum> by_split;
    for (const TaskItem& item : shown.items) {
      Sum& sum = by_split[list.rows[at(item.row)].split];
      sum.items += 1;
      sum.frames += static_cast<double>(item.end - item.first);
      sum.video_frames += static_cast<double>(list.rows[at(item.row)].video_frames);
    }
    return by_split;
  };
  auto segment = sums(trimmed);
  auto video = sums(whole);
  EXPECT_EQ(segment["train"].items, 15410);
  EXPECT_EQ(segment["validate"].items, 7654);
  EXPECT_EQ(video["train"].items, 10010);
  EXPECT_EQ(video["validate"].items, 4917);
  EXPECT_EQ(std::lround(segment["train"].frames / segment["train"].items), 1469);
  EXPECT_EQ(std::lround(segment["validate"].frames / segment["validate"].items), 1490);
  EXPECT_EQ(std::floor(video["validate"].video_frames / video["validate"].items), 3542);
  EXPECT_EQ(std::floor(segment["validate"].video_frames / segment["validate"].items), 3879);
  // 6 and 7 videos of two classes, 8 and 2 without a segment of any length.
  EXPECT_EQ(whole.several_classes, 13);
  EXPECT_EQ(whole.without_length, 10);
  EXPECT_EQ(trim_list(list, {}, Rng(1)).too_short, 54 + 36);
}

}  // namespace
}  // namespace tyto
