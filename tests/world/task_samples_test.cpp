// SPDX-License-Identifier: Apache-2.0
// What tasks are made of: the join to a list, sides, groups, and what is shown of a video.
#include "tyto/world/tasks/task_samples.hpp"

#include <filesystem>
#include <map>
#include <set>

#include "support/places.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/world/tasks/run_cuts.hpp"

namespace tyto {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Samples of `frames` rows each; the value of a row is its number.
Dataset counted_frames(const std::vector<std::string>& ids, const std::vector<std::string>& labels,
                       Index frames) {
  Dataset data;
  data.name = "videos";
  data.table.id = ids;
  data.table.label = labels;
  data.table.frames.assign(ids.size(), frames);
  Matrix values(std::ssize(ids) * frames, 1);
  for (Index i = 0; i < values.rows(); ++i) {
    values(i, 0) = static_cast<float>(i);
  }
  data.store = std::make_shared<const DenseStore>(std::move(values));
  return data;
}

TaskList task_list(const std::string& rows, const std::string& more = "") {
  return read_task_list(
      CsvTable::parse("split,task,label,class_name,video_id" + more + "\n" + rows, "tasks.csv"));
}

std::vector<float> store_values(const Dataset& data) {
  std::vector<Index> rows(static_cast<std::size_t>(data.store->rows()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<Index>(i);
  }
  Matrix values(data.store->rows(), 1);
  data.store->gather("features", rows, values);
  return {values.data(), values.data() + values.size()};
}

template <class Make>
std::string samples_problem(const Make& make) {
  try {
    make();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "none";
}

TEST(ListedSamples, take_class_split_and_task_of_the_list_by_id) {
  const Dataset data = counted_frames({"c", "a", "b"}, {"", "", ""}, 2);
  const TaskList list = task_list("train,0,0,run,a\ntest,0,0,run,b\ntrain,1,1,walk,c\n");
  const TaskSamples samples = listed_samples(data, list, Lost::refuse, {}, Rng(1));
  EXPECT_THAT(samples.data.table.id, ElementsAre("a", "b", "c"));
  EXPECT_THAT(samples.data.table.label, ElementsAre("run", "run", "walk"));
  EXPECT_THAT(samples.side, ElementsAre(Side::train, Side::test, Side::train));
  EXPECT_THAT(samples.listed_task, ElementsAre(0, 1));
  EXPECT_THAT(store_values(samples.data), ElementsAre(2, 3, 4, 5, 0, 1));
  EXPECT_THAT(samples.notes, IsEmpty());
}

TEST(ListedSamples, name_what_either_side_lacks) {
  const Dataset data = counted_frames({"a", "b", "x"}, {"", "", ""}, 1);
  const TaskList list = task_list("train,0,0,run,a\ntest,0,0,run,b\ntrain,0,0,run,c\n");
  const std::string missing =
      "1 of 3 videos of tasks.csv are not in \"videos\": c; 1 of 3 samples of \"videos\" are not "
      "in "
      "tasks.csv: x";
  EXPECT_EQ(samples_problem([&] { listed_samples(data, list, Lost::refuse, {}, Rng(1)); }),
            missing + "; `lost: leave_out` goes on without them");
  const TaskSamples samples = listed_samples(data, list, Lost::leave_out, {}, Rng(1));
  EXPECT_THAT(samples.data.table.id, ElementsAre("a", "b"));
  EXPECT_THAT(samples.notes, ElementsAre(missing));
  const TaskList other = task_list("train,0,0,run,q\n");
  EXPECT_EQ(samples_problem([&] { listed_samples(data, other, Lost::leave_out, {}, Rng(1)); }),
            "no video of tasks.csv is in \"videos\"");
}

TEST(ListedSamples, may_spell_a_class_otherwise_than_the_data_but_mean_the_same) {
  const TaskList list = task_list(
      "train,0,0,HandstandPushups,a\ntest,0,0,HandstandPushups,b\ntrain,0,1,Run,c\ntest,0,1,Run,"
      "d\n");
  const auto listed = [&](const std::vector<std::string>& labels) {
    return samples_problem([&] {
      listed_samples(counted_frames({"a", "b", "c", "d"}, labels, 1), list, Lost::refuse, {},
                     Rng(1));
    });
  };
  EXPECT_EQ(listed({"HandStandPushups", "HandStandPushups", "Run", "Run"}), "none");
  EXPECT_EQ(
      listed({"HandStandPushups", "Run", "Run", "Run"}),
      "tasks.csv: line 3: \"b\" is of class \"HandstandPushups\" and has the label \"Run\" in "
      "\"videos\", where others of that class have \"HandStandPushups\"");
  EXPECT_THAT(listed({"Run", "Run", "Run", "Run"}),
              HasSubstr("where that is the class \"HandstandPushups\" (line 2)"));
}

TEST(ListedSamples, cut_segments_out_of_runs_of_any_length) {
  // 40 frames in the list, 20 in the data: frames 10 to 25 are rows 5 to 12, rounded outwards.
  const Dataset data = counted_frames({"a", "b"}, {"", ""}, 20);
  const TaskList list = task_list(
      "train,0,0,run,a,1.0,2.5,40,10\ntrain,0,0,run,a,3,4,40,10\nval,0,0,run,b,0,1,40,10\n",
      ",t_start,t_end,video_frames,fps");
  TaskOptions options;
  options.test = "validate";
  const TaskSamples trimmed = listed_samples(data, list, Lost::refuse, options, Rng(1));
  EXPECT_THAT(trimmed.data.table.id, ElementsAre("a/1", "a/2", "b"));
  EXPECT_THAT(trimmed.data.table.frames, ElementsAre(8, 5, 5));
  EXPECT_THAT(store_values(trimmed.data),
              ElementsAre(5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24));
  EXPECT_THAT(trimmed.side, ElementsAre(Side::train, Side::train, Side::test));
  options.trim = "untrimmed";
  const TaskSamples whole = listed_samples(data, list, Lost::refuse, options, Rng(1));
  EXPECT_THAT(whole.data.table.id, ElementsAre("a", "b"));
  EXPECT_THAT(whole.data.table.frames, ElementsAre(20, 20));
  Dataset rows = data;
  rows.table.frames.clear();
  options.trim = "trimmed";
  EXPECT_THAT(samples_problem([&] { listed_samples(rows, list, Lost::refuse, options, Rng(1)); }),
              HasSubstr("world.trim: \"videos\" has one row for each video and no frames to cut"));
}

TEST(PlainSamples, show_the_frames_of_the_segment_or_all) {
  Dataset data = counted_frames({"a", "b", "c"}, {"run", "run", "run"}, 5);
  data.table.split = {"train", "test", "test"};
  data.table.annotations["segment_first"] = {"1", "3", ""};
  data.table.annotations["segment_end"] = {"3", "5", ""};
  TaskOptions options;
  const TaskSamples trimmed = plain_samples(data, options, Rng(1));
  EXPECT_THAT(store_values(trimmed.data), ElementsAre(1, 2, 8, 9, 10, 11, 12, 13, 14));
  EXPECT_THAT(trimmed.data.table.annotations.at("segment_first"), ElementsAre("0", "0", ""));
  EXPECT_THAT(trimmed.data.table.annotations.at("segment_end"), ElementsAre("2", "2", ""));
  EXPECT_THAT(trimmed.notes, Contains("2 of 3 samples are trimmed to the frames of their action"));
  options.untrimmed_share_test = 1;
  EXPECT_THAT(plain_samples(data, options, Rng(1)).data.table.frames, ElementsAre(2, 5, 5));
  options.untrimmed_share_test = 0;
  options.trim = "untrimmed";
  EXPECT_EQ(plain_samples(data, options, Rng(1)).data.store, data.store);
  data.table.annotations["segment_end"][1] = "6";
  EXPECT_THAT(
      samples_problem([&] { segment_cuts(data); }),
      HasSubstr("sample \"b\" of \"videos\" has its segment from frame \"3\" to \"6\" of 5"));
  data.table.annotations.erase("segment_end");
  EXPECT_THAT(samples_problem([&] { segment_cuts(data); }), HasSubstr("needs both"));
}

TEST(PlainSamples, leave_out_what_has_no_label_or_split_and_need_a_test) {
  Dataset data = counted_frames({"a", "b", "c", "d", "e"}, {"run", "run", "", "run", "run"}, 1);
  data.table.split = {"train", "validate", "train", "", "test"};
  TaskOptions options;
  EXPECT_THAT(plain_samples(data, options, Rng(1)).data.table.id, ElementsAre("a", "b", "e"));
  options.test = "validate";
  const TaskSamples samples = plain_samples(data, options, Rng(1));
  EXPECT_THAT(samples.data.table.id, ElementsAre("a", "b"));
  EXPECT_THAT(samples.side, ElementsAre(Side::train, Side::test));
  EXPECT_THAT(samples.notes,
              ElementsAre("1 rows left out: no label", "1 rows left out: in no split",
                          "1 rows left out: in test, for which validate stands"));
  data.table.split[4] = "";
  options.test = "test";
  EXPECT_EQ(samples_problem([&] { plain_samples(data, options, Rng(1)); }),
            "\"videos\" has no row to test on; say world.test: validate to let validate stand for "
            "test");
}

TEST(PlainSamples, need_a_row_to_train_on_for_every_class) {
  Dataset data = counted_frames({"a", "b", "c"}, {"run", "walk", "walk"}, 1);
  data.table.split = {"train", "validate", "test"};
  EXPECT_EQ(samples_problem([&] { plain_samples(data, {}, Rng(1)); }),
            "class \"walk\" of \"videos\" has no row to train on: 1 are in validate, 1 in test");
}

TEST(PlainSamples, keep_the_only_row_of_a_class_for_training) {
  const Dataset data = counted_frames({"a", "b", "c", "d", "e"}, {"x", "y", "y", "y", "y"}, 1);
  const TaskSamples samples = plain_samples(data, {}, Rng(1));
  EXPECT_EQ(samples.side[0], Side::train);
  EXPECT_EQ(std::count(samples.side.begin(), samples.side.end(), Side::test), 1);
}

TEST(Groups, are_parsed_from_names_of_ucf101_or_taken_from_the_column) {
  IndexTable table;
  table.id = {"v_HandStandPushups_g01_c02", "v_Run_g12_c01"};
  table.group = {"g01", "g12"};
  EXPECT_THAT(sample_groups(table), ElementsAre("v_HandStandPushups_g01", "v_Run_g12"));
  table.id[1] = "v_Run_gx_c01";
  EXPECT_THAT(sample_groups(table), ElementsAre("g01", "g12"));
}

TEST(Groups, stay_on_one_side_where_that_is_asked_for) {
  Dataset data;
  data.name = "clips";
  for (int c = 0; c < 3; ++c) {
    for (int g = 0; g < 10; ++g) {
      for (int clip = 0; clip < 5; ++clip) {
        data.table.id.push_back(fmt::format("v_Class{}_g{:02}_c{:02}", c, g + 1, clip + 1));
        data.table.label.push_back(fmt::format("Class{}", c));
        data.table.split.emplace_back(clip < 3 ? "train" : clip == 3 ? "validate" : "test");
      }
    }
  }
  data.store = std::make_shared<const DenseStore>(Matrix::Zero(150, 1));
  TaskOptions options;
  const TaskSamples leaky = plain_samples(data, options, Rng(1));
  EXPECT_THAT(leaky.notes, ElementsAre("30 of 30 test samples share a group with a train sample"));
  options.group_safe = true;
  const TaskSamples safe = plain_samples(data, options, Rng(1));
  EXPECT_EQ(leaked_tests(safe.data.table, safe.side), 0);
  EXPECT_THAT(safe.notes, IsEmpty());
  std::map<std::string, std::set<Side>> sides;
  std::map<std::pair<std::string, Side>, Index> counts;
  for (std::size_t i = 0; i < safe.side.size(); ++i) {
    sides[safe.data.table.group[i]].insert(safe.side[i]);
    ++counts[{safe.data.table.label[i], safe.side[i]}];
  }
  for (const auto& [group, on] : sides) {
    EXPECT_EQ(on.size(), 1U) << group;
  }
  for (const std::string name : {"Class0", "Class1", "Class2"}) {  // 6, 2 and 2 of 10 groups
    EXPECT_EQ((counts[{name, Side::train}]), 30) << name;
    EXPECT_EQ((counts[{name, Side::validate}]), 10) << name;
    EXPECT_EQ((counts[{name, Side::test}]), 10) << name;
  }
  EXPECT_EQ(plain_samples(data, options, Rng(2)).side, safe.side) << "no seed has a part in it";
  data.table.id[0] = "first";
  EXPECT_THAT(samples_problem([&] { plain_samples(data, options, Rng(1)); }),
              HasSubstr("world.group_safe: \"clips\" has no groups"));
}

TEST(Groups, tell_the_leak_of_the_published_splits_and_a_safe_one_of_the_same_shares) {
  const std::filesystem::path folder = testing_support::in_tree("/../shared/data/vclimb");
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << "the published lists are not at " << folder;
  }
  for (const auto& [file, leaked] :
       {std::pair("ucf101_10tasks.csv.gz", 2692), std::pair("ucf101_20tasks.csv.gz", 2703)}) {
    const TaskList list = load_task_list(folder / file);
    std::vector<std::string> ids;
    for (const TaskListRow& row : list.rows) {
      ids.push_back(row.video);
    }
    const Dataset data = counted_frames(ids, std::vector<std::string>(ids.size()), 1);
    TaskOptions options;
    const TaskSamples shown = listed_samples(data, list, Lost::refuse, options, Rng(1));
    EXPECT_THAT(shown.notes,
                ElementsAre(fmt::format("{} of 2726 test samples share a group with a train sample",
                                        leaked)));
    options.group_safe = true;
    const TaskSamples safe = listed_samples(data, list, Lost::refuse, options, Rng(1));
    EXPECT_EQ(leaked_tests(safe.data.table, safe.side), 0);
    std::map<Side, Index> counts;
    for (const Side side : safe.side) {
      ++counts[side];
    }
    // Published: 9280, 1314, 2726.
    EXPECT_EQ(counts, (std::map<Side, Index>{
                          {Side::train, 9259}, {Side::validate, 1326}, {Side::test, 2735}}))
        << file;
  }
}

}  // namespace
}  // namespace tyto
