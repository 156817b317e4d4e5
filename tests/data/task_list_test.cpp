// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/tasks/task_list.hpp"

#include <filesystem>

#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TaskList listed(const std::string& rows, const std::string& columns = "") {
  return read_task_list(CsvTable::parse(
      (columns.empty() ? "split,task,label,class_name,video_id" : columns) + "\n" + rows,
      "tasks.csv"));
}

std::string problem_in(const std::string& rows, const std::string& columns = "") {
  try {
    listed(rows, columns);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "none";
}

TEST(TaskList, orders_classes_by_label_and_keeps_rows_in_the_order_of_the_file) {
  const TaskList list = listed(
      "train,1,2,swim,c\n"
      "train,0,1,walk,b\n"
      "train,0,0,run,a\n"
      "val,0,0,run,d\n");
  EXPECT_THAT(list.classes, ElementsAre("run", "walk", "swim"));
  EXPECT_THAT(list.task, ElementsAre(0, 0, 1));
  EXPECT_EQ(list.tasks(), 2);
  EXPECT_EQ(list.rows[0].video, "c");
  EXPECT_EQ(list.rows[0].label, 2);
  EXPECT_EQ(list.rows[3].split, "validate");
  EXPECT_EQ(list.rows[3].line, 5);
}

TEST(TaskList, counts_classes_by_first_appearance_where_there_are_no_labels) {
  const TaskList list =
      listed("train,1,c,1\ntrain,0,b,2\ntrain,0,a,3\n", "split,task,class_name,video_id");
  EXPECT_THAT(list.classes, ElementsAre("b", "a", "c"));
}

TEST(TaskList, refuses_a_class_in_two_tasks) {
  EXPECT_EQ(problem_in("train,0,0,run,a\ntrain,1,0,run,b\n"),
            "tasks.csv: class \"run\" is of task 0 at line 2 and of task 1 at line 3; a class is "
            "learned in one task");
}

TEST(TaskList, refuses_splits_that_count_the_classes_in_another_order) {
  EXPECT_EQ(problem_in("train,0,0,run,a\ntrain,0,1,walk,b\nval,0,0,walk,c\n"),
            "tasks.csv: class \"walk\" has label 1 at line 3 and 0 at line 4; the splits must "
            "count the classes in one order");
  EXPECT_THAT(problem_in("train,0,1,run,a\ntrain,1,0,walk,b\n"),
              HasSubstr("class \"run\" of task 0 has label 1 and should have 0"));
}

TEST(TaskList, refuses_a_class_that_is_spelled_otherwise_in_another_split) {
  EXPECT_EQ(problem_in("train,0,0,HandstandPushups,a\ntest,0,1,HandStandPushups,b\n"),
            "tasks.csv: line 3: class \"HandStandPushups\" has no row in train (did you mean "
            "\"HandstandPushups\"?)");
}

TEST(TaskList, refuses_an_empty_task_and_an_empty_list) {
  EXPECT_EQ(problem_in("train,0,0,run,a\ntrain,2,1,walk,b\n"),
            "tasks.csv: line 3 is of task 2, but no line is of task 1");
  EXPECT_EQ(problem_in(""), "tasks.csv: the list of tasks has no row");
}

TEST(TaskList, refuses_repeats_and_words_it_does_not_know) {
  EXPECT_EQ(problem_in("train,0,0,run,a\ntest,0,0,run,a\n"),
            "tasks.csv: video \"a\" stands at line 2 and again at line 3");
  EXPECT_THAT(problem_in("training,0,0,run,a\n"),
              HasSubstr("is \"training\", which is none of train, val, test"));
  EXPECT_THAT(problem_in("train,0,0,,a\n"), HasSubstr("line 2, column \"class_name\" is empty"));
}

TEST(TaskList, takes_a_video_several_times_where_rows_are_segments) {
  const std::string columns = "split,task,label,class_name,video_id,t_start,t_end,video_frames,fps";
  const TaskList list =
      listed("train,0,0,run,a,0,1.5,90,30\ntrain,0,0,run,a,1.5,2,90,30\n", columns);
  EXPECT_TRUE(list.has_segments);
  EXPECT_EQ(list.rows[1].start_s, 1.5);
  EXPECT_THAT(problem_in("train,0,0,run,a,0,1,90,30\nval,0,0,run,a,0,1,90,30\n", columns),
              HasSubstr("is in train at line 2 and in validate at line 3"));
  EXPECT_THAT(problem_in("train,0,0,run,a,2,1,90,30\n", columns), HasSubstr("from 2 to 1 seconds"));
  EXPECT_THAT(problem_in("train,0,0,run,a,0,1,0,30\n", columns), HasSubstr("has 0 frames at 30"));
}

TEST(TaskList, reads_the_published_lists) {
  const std::filesystem::path folder = testing_support::in_tree("/../shared/data/vclimb");
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << "the published lists are not at " << folder;
  }
  const TaskList ten = load_task_list(folder / "ucf101_10tasks.csv.gz");
  EXPECT_EQ(ten.rows.size(), 13320U);
  EXPECT_EQ(ten.tasks(), 10);
  EXPECT_EQ(std::count(ten.task.begin(), ten.task.end(), 0), 11) << "the odd class is in the first";
  EXPECT_EQ(std::count(ten.task.begin(), ten.task.end(), 9), 10);
  const TaskList twenty = load_task_list(folder / "ucf101_20tasks.csv.gz");
  EXPECT_EQ(twenty.tasks(), 20);
  EXPECT_EQ(std::count(twenty.task.begin(), twenty.task.end(), 0), 6);
  const TaskList segments = load_task_list(folder / "activitynet_10tasks.csv.gz");
  EXPECT_EQ(segments.rows.size(), 23064U);
  EXPECT_EQ(segments.classes.size(), 200U);
}

}  // namespace
}  // namespace tyto
