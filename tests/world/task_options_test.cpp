// SPDX-License-Identifier: Apache-2.0
// How many classes a task has, and which.
#include "tyto/world/tasks/task_options.hpp"

#include <algorithm>
#include <map>

#include "support/places.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/world/tasks/task_plan.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TaskOptions task_options(const std::string& yaml) {
  auto options = read_options<TaskOptions>(parse_yaml(yaml, "t.yaml"), "world");
  options.check();
  return options;
}

std::string sizes_problem(const std::string& yaml, Index classes) {
  try {
    task_sizes(task_options(yaml), classes);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "none";
}

TEST(TaskSizes, are_as_equal_as_possible_with_the_odd_classes_in_the_first) {
  EXPECT_THAT(task_sizes(task_options("{tasks: 10}"), 101),
              ElementsAre(11, 10, 10, 10, 10, 10, 10, 10, 10, 10));
  EXPECT_THAT(task_sizes(task_options("{tasks: 4}"), 10), ElementsAre(3, 3, 2, 2));
  EXPECT_EQ(task_sizes(task_options("{}"), 400), std::vector<Index>(10, 40));
}

TEST(TaskSizes, follow_the_number_of_classes_and_leave_the_rest_to_the_last) {
  EXPECT_THAT(task_sizes(task_options("{classes_per_task: 4}"), 10), ElementsAre(4, 4, 2));
  EXPECT_THAT(task_sizes(task_options("{classes_per_task: 1}"), 3), ElementsAre(1, 1, 1));
  EXPECT_THAT(task_sizes(task_options("{classes_per_task: [5, 1, 2]}"), 8), ElementsAre(5, 1, 2));
}

TEST(TaskSizes, may_begin_with_a_large_task) {
  EXPECT_THAT(task_sizes(task_options("{first: half, tasks: 5}"), 101),
              ElementsAre(51, 10, 10, 10, 10, 10));
  EXPECT_THAT(task_sizes(task_options("{first: 50, classes_per_task: 20}"), 100),
              ElementsAre(50, 20, 20, 10));
}

TEST(TaskSizes, are_refused_where_they_do_not_add_up) {
  EXPECT_THAT(sizes_problem("{classes_per_task: [5, 1]}", 8),
              HasSubstr("world.classes_per_task: the tasks have 6 classes in all, the data 8"));
  EXPECT_THAT(sizes_problem("{classes_per_task: [5, 0, 3]}", 8),
              HasSubstr("\"0\" is no number of classes"));
  EXPECT_THAT(sizes_problem("{classes_per_task: few}", 8), HasSubstr("\"few\" is no number"));
  EXPECT_EQ(sizes_problem("{tasks: 9}", 8),
            "world.tasks: 8 classes cannot be dealt to 9 tasks; each has one or more");
  EXPECT_THAT(sizes_problem("{first: 8}", 8),
              HasSubstr("world.first: 8 of 8 classes leave none for the other tasks"));
  EXPECT_THAT(sizes_problem("{first: most}", 8), HasSubstr("\"most\" is no number of classes"));
  EXPECT_THAT(sizes_problem("{tasks: 2, classes_per_task: 4}", 8),
              HasSubstr("stands beside tasks: 2"));
  EXPECT_THAT(sizes_problem("{first: 2, classes_per_task: [2, 6]}", 8),
              HasSubstr("world.first: classes_per_task lists every task"));
  EXPECT_THAT(sizes_problem("{overlap: 0.5}", 8), HasSubstr("say borders: false"));
  EXPECT_THAT(sizes_problem("{trim: untrimmed, untrimmed_share: 0.5}", 8),
              HasSubstr("world.untrimmed_share: with trim: untrimmed all videos are"));
}

TEST(ClassOrder, is_that_of_its_own_seed_of_the_file_or_the_alphabet) {
  const std::vector<std::string> names{"d", "b", "a", "c", "e", "f"};
  EXPECT_EQ(class_order(task_options("{order: file}"), names, false), names);
  EXPECT_EQ(class_order(task_options("{}"), names, true), names) << "auto, with a list";
  EXPECT_THAT(class_order(task_options("{order: alphabetic}"), names, true),
              ElementsAre("a", "b", "c", "d", "e", "f"));
  const auto drawn = class_order(task_options("{order_seed: 1}"), names, false);
  EXPECT_EQ(class_order(task_options("{order: seed, order_seed: 1}"),
                        {"f", "e", "d", "c", "b", "a"}, true),
            drawn)
      << "names alone matter, not how the data order them";
  EXPECT_NE(class_order(task_options("{order_seed: 2}"), names, false), drawn);
  EXPECT_TRUE(std::is_permutation(drawn.begin(), drawn.end(), names.begin(), names.end()));
}

// Kinetics-400 as ten tasks of 40 and twenty of 20 classes, by the rule that the world deals by.
// Table 1 has 1988 rows a task to validate and 3977 to test (994 and 1988 with twenty tasks), of
// lists that lack what is no longer to be had; here validate and test are whole.
TEST(ClassOrder, deals_the_classes_of_kinetics) {
  const std::filesystem::path file =
      testing_support::in_tree("/../shared/data/kinetics/kinetics400.csv.gz");
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << "the list of Kinetics-400 is not at " << file;
  }
  const CsvTable csv = CsvTable::load(file);
  TaskSamples samples;
  samples.data.table.label = csv.texts(csv.column("label"));
  samples.classes = samples.data.table.label;
  std::sort(samples.classes.begin(), samples.classes.end());
  samples.classes.erase(std::unique(samples.classes.begin(), samples.classes.end()),
                        samples.classes.end());
  for (const Index tasks : {10, 20}) {
    TaskOptions options;
    options.tasks = tasks;
    const auto dealt = deal_classes(samples, options);
    ASSERT_EQ(std::ssize(dealt), tasks);
    std::map<std::string_view, Index> task_of;
    for (std::size_t t = 0; t < dealt.size(); ++t) {
      EXPECT_EQ(std::ssize(dealt[t]), 400 / tasks);
      for (const std::string& name : dealt[t]) {
        EXPECT_TRUE(task_of.emplace(name, t).second) << name;
      }
    }
    std::map<std::pair<Index, std::string_view>, Index> counts;
    for (Index row = 0; row < csv.rows(); ++row) {
      ++counts[{task_of.at(csv.text(row, csv.column("label"))),
                csv.text(row, csv.column("split"))}];
    }
    Index validate = 0;
    Index test = 0;
    for (Index t = 0; t < tasks; ++t) {
      validate += counts[{t, "val"}];
      test += counts[{t, "test"}];
      EXPECT_NEAR(static_cast<double>(counts[{t, "val"}]), 50.0 * 400 / static_cast<double>(tasks),
                  30)
          << "up to 50 clips of each class";
    }
    EXPECT_EQ(validate / tasks, tasks == 10 ? 1990 : 995);
    EXPECT_EQ(test / tasks, tasks == 10 ? 3980 : 1990);
  }
}

}  // namespace
}  // namespace tyto
