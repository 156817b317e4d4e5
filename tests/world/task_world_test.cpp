// SPDX-License-Identifier: Apache-2.0
// Tasks as a world: what is dealt when, what is granted, and what a rehearsal sees.
#include <map>
#include <set>

#include "support/scratch.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/world/registry.hpp"

namespace tyto {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Classes a to f with ten rows each: six train, two validate, two test.
Dataset lettered(bool with_splits = true) {
  Dataset data;
  data.name = "letters";
  for (int i = 0; i < 60; ++i) {
    data.table.id.push_back(fmt::format("row {}", i));
    data.table.label.emplace_back(1, static_cast<char>('a' + i / 10));
    if (with_splits) {
      data.table.split.emplace_back(i % 10 < 6 ? "train" : i % 10 < 8 ? "validate" : "test");
    }
  }
  data.store = std::make_shared<const DenseStore>(Matrix::Zero(60, 1));
  return data;
}

// The last class alone.
Dataset some_of_f() {
  Dataset data = lettered();
  data.table.id.erase(data.table.id.begin(), data.table.id.begin() + 50);
  data.table.label.erase(data.table.label.begin(), data.table.label.begin() + 50);
  data.table.split.erase(data.table.split.begin(), data.table.split.begin() + 50);
  data.store = std::make_shared<const DenseStore>(Matrix::Zero(10, 1));
  return data;
}

std::unique_ptr<WorldSource> task_world(const std::string& yaml, Dataset data = lettered(),
                                        std::uint64_t seed = 3) {
  std::vector<Dataset> datasets;
  datasets.push_back(std::move(data));
  return build_world(parse_yaml("{kind: tasks, " + yaml + "}", "t.yaml"), "world",
                     std::move(datasets), seed);
}

// Labels of a split, in the order dealt.
std::string labels_dealt(const WorldSource& source, const World& world, const std::string& split) {
  std::string text;
  const Samples& samples = world.deal().find(split)->samples;
  for (Index i = 0; i < samples.size(); ++i) {
    text += source.truth()->label_of(samples.id(i));
  }
  return text;
}

std::string letters_in(std::string text) {
  std::sort(text.begin(), text.end());
  text.erase(std::unique(text.begin(), text.end()), text.end());
  return text;
}

template <class Build>
std::string world_problem(const Build& build) {
  try {
    build();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(TaskWorld, shows_a_task_a_step_and_tests_on_all_so_far_in_their_order) {
  const auto source = task_world("classes_per_task: [1, 3, 2], order: alphabetic");
  const auto world = source->make_world({});
  EXPECT_EQ(world->brief().steps, 3);
  const std::vector<std::string> classes{"a", "bcd", "ef"};
  std::string tested;
  for (std::size_t t = 0; t < 3; ++t) {
    ASSERT_TRUE(world->advance());
    const std::string train = labels_dealt(*source, *world, "train");
    EXPECT_EQ(letters_in(train), classes[t]);
    EXPECT_EQ(train.size(), 6 * classes[t].size());
    EXPECT_EQ(labels_dealt(*source, *world, "validate").size(), 2 * classes[t].size());
    const std::string test = labels_dealt(*source, *world, "test");
    EXPECT_EQ(test.substr(0, tested.size()), tested) << "what was tested before comes first";
    EXPECT_EQ(letters_in(test.substr(tested.size())), classes[t]);
    tested = test;
    const Samples& samples = world->deal().find("test")->samples;
    for (Index i = 0; i < samples.size(); ++i) {
      const auto id = static_cast<std::size_t>(samples.id(i));
      const std::string& label = source->truth()->label[id];
      EXPECT_EQ(source->truth()->annotations.at("task")[id], label == "a"                   ? "1"
                                                             : label == "e" || label == "f" ? "3"
                                                                                            : "2");
    }
    EXPECT_EQ(world->shown_before().size(), t == 0 ? 1U : t == 1 ? 1U : 4U);
  }
  EXPECT_EQ(tested.size(), 12U);
  EXPECT_FALSE(world->advance());
}

TEST(TaskWorld, grants_all_of_train_and_validate_at_every_step_or_what_the_budget_allows) {
  const auto source = task_world("tasks: 3");
  const std::vector<Index> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const auto granted = [&](const LabelBudget& budget) {
    std::vector<std::size_t> counts;
    const auto world = source->make_world(budget);
    while (world->advance()) {
      const Split& train = *world->deal().find("train");
      const Split& validate = *world->deal().find("validate");
      counts.push_back(world->ask(FeedbackKind::labels, train, all).row.size());
      counts.push_back(world->ask(FeedbackKind::labels, validate, Rows(all).first(4)).row.size());
      EXPECT_THROW((void)world->ask(FeedbackKind::labels, *world->deal().find("test"), all), Error);
    }
    return counts;
  };
  EXPECT_THAT(granted({}), ElementsAre(12, 4, 12, 4, 12, 4));
  EXPECT_THAT(granted({0.5, {}}), ElementsAre(12, 4, 6, 2, 6, 2));
  EXPECT_THAT(granted({0, 15}), ElementsAre(12, 4, 12, 3, 0, 0)) << "one budget for both";
}

TEST(TaskWorld, writes_the_task_of_every_sample_it_shows_into_the_manifest) {
  const auto source = task_world("tasks: 2, order: alphabetic");
  const CsvTable manifest = CsvTable::parse(source->facts().manifest, "manifest");
  EXPECT_THAT(manifest.columns(),
              ElementsAre("id", "label", "increment", "split", "novelty", "task"));
  std::map<std::string, Index> counts;
  for (Index row = 0; row < manifest.rows(); ++row) {
    ++counts[fmt::format("{} {} {} {}", manifest.text(row, 2), manifest.text(row, 3),
                         manifest.text(row, 4), manifest.text(row, 5))];
  }
  EXPECT_EQ(counts, (std::map<std::string, Index>{{"0 train known 1", 18},
                                                  {"0 validate known 1", 6},
                                                  {"0 test known 1", 6},
                                                  {"1 train novel 2", 18},
                                                  {"1 validate novel 2", 6},
                                                  {"1 test known 1", 6},
                                                  {"1 test novel 2", 6}}));
  EXPECT_THAT(source->facts().samples, ElementsAre(30, 36));
  EXPECT_THAT(source->facts().text,
              HasSubstr("   2        3       18         6        6           12"));
}

TEST(TaskWorld, orders_classes_by_a_seed_of_its_own) {
  const auto first_task = [](const std::string& yaml, std::uint64_t seed) {
    const auto source = task_world("tasks: 3, " + yaml, lettered(), seed);
    const auto world = source->make_world({});
    world->advance();
    return letters_in(labels_dealt(*source, *world, "train"));
  };
  EXPECT_EQ(first_task("order_seed: 1", 3), first_task("order_seed: 1", 4));
  std::set<std::string> orders;
  for (int seed = 0; seed < 8; ++seed) {
    orders.insert(first_task(fmt::format("order_seed: {}", seed), 3));
  }
  EXPECT_GT(orders.size(), 2U);
}

TEST(TaskWorld, deals_the_tasks_of_a_list) {
  const testing_support::Scratch scratch;
  std::string csv = "split,task,label,class_name,video_id\n";
  const Dataset data = lettered();
  for (std::size_t i = 0; i < data.table.id.size(); ++i) {
    const Index label = 'f' - data.table.label[i][0];
    csv += fmt::format("{},{},{},{},{}\n", i % 2 == 0 ? "train" : "test", label / 4, label,
                       data.table.label[i], data.table.id[i]);
  }
  write_file(scratch / "tasks.csv", csv);
  const std::string file = fmt::format("file: {}", (scratch / "tasks.csv").string());
  const auto classes = [&](const std::string& more) {
    std::vector<std::string> tasks;
    const auto source = task_world(file + more);
    const auto world = source->make_world({});
    while (world->advance()) {
      const std::string train = labels_dealt(*source, *world, "train");
      tasks.push_back(letters_in(train));
      EXPECT_EQ(train.size(), 5 * tasks.back().size()) << "the split is that of the list";
    }
    return tasks;
  };
  EXPECT_THAT(classes(""), ElementsAre("cdef", "ab"));
  EXPECT_THAT(classes(", tasks: 3"), ElementsAre("ef", "cd", "ab")) << "its order, other tasks";
  EXPECT_THAT(classes(", order: alphabetic"), ElementsAre("abcd", "ef")) << "tasks of its sizes";
  EXPECT_THAT(world_problem([&] { task_world(file, some_of_f()); }),
              HasSubstr("not in \"letters\""));
  EXPECT_EQ(
      world_problem([&] { task_world(file + ", lost: leave_out", some_of_f()); }),
      "task 2 (b, a) has no sample to train on; world.tasks says how to deal the classes that "
      "have");
  EXPECT_EQ(task_world(file + ", lost: leave_out, tasks: 1", some_of_f())->facts().samples.size(),
            1U);
}

// Of each step: train samples, then the classes of train, validate and test.
std::vector<std::string> steps_without_borders(const std::string& more) {
  const auto source = task_world("tasks: 3, order: alphabetic, borders: false, " + more);
  const auto world = source->make_world({});
  std::vector<std::string> steps;
  while (world->advance()) {
    const std::string train = labels_dealt(*source, *world, "train");
    steps.push_back(fmt::format("{} {} {} {}", train.size(), letters_in(train),
                                letters_in(labels_dealt(*source, *world, "validate")),
                                letters_in(labels_dealt(*source, *world, "test"))));
  }
  return steps;
}

TEST(TaskWorld, flows_from_task_to_task_without_borders) {
  // Tasks ab, cd, ef of twelve: the second begins in step 2, the third in step 3.
  EXPECT_THAT(steps_without_borders("batch: 10"),
              ElementsAre("10 ab ab ab", "10 abcd cd abcd", "10 cdef ef abcdef", "6 ef  abcdef"));
}

TEST(TaskWorld, mixes_tasks_at_their_borders) {
  const std::vector<std::string> sharp = steps_without_borders("batch: 6");
  EXPECT_THAT(sharp, ElementsAre("6 ab ab ab", "6 ab  ab", "6 cd cd abcd", "6 cd  abcd",
                                 "6 ef ef abcdef", "6 ef  abcdef"));
  // A sample comes up to a whole task too early or too late, so tasks meet at their borders.
  const std::vector<std::string> mixed = steps_without_borders("batch: 6, overlap: 1");
  EXPECT_THAT(mixed[1], HasSubstr("abcd cd abcd"));
  EXPECT_THAT(mixed[3], HasSubstr("ef abcdef"));
}

TEST(TaskWorld, refuses_what_makes_no_tasks) {
  EXPECT_THAT(world_problem([] { task_world("tasks: 7"); }),
              HasSubstr("6 classes cannot be dealt to 7 tasks"));
  EXPECT_THAT(world_problem([] { task_world("simulated: {kind: sequences}"); }),
              HasSubstr("world.simulated: stands for data, and data are given too"));
  EXPECT_THAT(
      world_problem([] {
        build_world(parse_yaml("{kind: tasks}", "t.yaml"), "world", {lettered(), lettered()}, 1);
      }),
      HasSubstr("tasks are made of one dataset, 2 are given"));
  EXPECT_THAT(world_problem([] { task_world("file: nowhere.csv"); }), HasSubstr("nowhere.csv"));
}

TEST(TaskWorld, says_what_a_reader_should_know) {
  EXPECT_THAT(task_world("classes_per_task: 1")->facts().notes,
              ElementsAre("task 1 has one class; until the next there is nothing to tell apart"));
  Dataset data = lettered();
  for (int i = 0; i < 10; ++i) {
    data.table.split[static_cast<std::size_t>(i)] = "train";
  }
  EXPECT_THAT(task_world("order: alphabetic, classes_per_task: [1, 5]", data)->facts().notes,
              Contains("task 1 has no sample to test on"));
}

// Names of all samples dealt, by split, and how many steps there were.
struct Shown {
  Index steps = 0;
  std::map<std::string, std::set<std::string>> names;
};

Shown all_shown(const WorldSource& source) {
  Shown shown;
  const auto world = source.make_world({});
  for (; world->advance(); ++shown.steps) {
    for (const Split& split : world->deal().splits) {
      for (Index i = 0; i < split.samples.size(); ++i) {
        shown.names[split.name].insert(
            source.truth()->name[static_cast<std::size_t>(split.samples.id(i))]);
      }
    }
  }
  return shown;
}

TEST(TaskRehearsal, plays_the_first_tasks_and_tests_on_their_validate_split) {
  const auto source = task_world("tasks: 6");
  const auto rehearsal = source->rehearsable()->rehearsal({0.5, 2}, 9);
  const Shown shown = all_shown(*rehearsal);
  EXPECT_EQ(shown.steps, 3);
  EXPECT_EQ(shown.names.at("train").size(), 18U);
  EXPECT_EQ(shown.names.at("test").size(), 6U);
  std::map<std::string, std::set<std::string>> allowed;  // of the first three tasks
  const auto world = source->make_world({});
  for (int t = 0; t < 3 && world->advance(); ++t) {
    for (const Split& split : world->deal().splits) {
      for (Index i = 0; i < split.samples.size(); ++i) {
        allowed[split.name].insert(
            source->truth()->name[static_cast<std::size_t>(split.samples.id(i))]);
      }
    }
  }
  EXPECT_EQ(shown.names.at("train"), allowed.at("train"));
  EXPECT_EQ(shown.names.at("test"), allowed.at("validate"));
  EXPECT_EQ(all_shown(*source->rehearsable()->rehearsal({0.5, 9}, 9)).steps, 5) << "never the last";
}

TEST(TaskRehearsal, tests_on_a_share_of_train_where_nothing_validates) {
  for (const std::string test : {"test", "validate"}) {
    Dataset data = lettered();
    for (std::string& split : data.table.split) {
      split = split == "train" ? split : test;
    }
    const auto source = task_world("tasks: 6, test: " + test, data);
    const Shown shown = all_shown(*source->rehearsable()->rehearsal({0.5, 2}, 9));
    EXPECT_EQ(shown.names.at("train").size() + shown.names.at("test").size(), 18U) << test;
    EXPECT_GT(shown.names.at("test").size(), 2U);
  }
}

TEST(TaskRehearsal, deals_the_classes_of_the_first_of_two_tasks) {
  const auto source = task_world("tasks: 2");
  const Shown shown = all_shown(*source->rehearsable()->rehearsal({0.5, 3}, 9));
  EXPECT_EQ(shown.steps, 3) << "a class each";
  EXPECT_EQ(shown.names.at("train").size(), 18U);
  const auto single = task_world("classes_per_task: [1, 5]");
  EXPECT_THAT(world_problem([&] { (void)single->rehearsable()->rehearsal({}, 9); }),
              HasSubstr("options cannot be searched: there are two tasks at most"));
}

}  // namespace
}  // namespace tyto
