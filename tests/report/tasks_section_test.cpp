// SPDX-License-Identifier: Apache-2.0
#include "toy_tests_page.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing_support::built_section;
using testing_support::tiny_source;
using TaskData = nlohmann::json;

// Task 1 is a and b, task 2 is c. Right after task 1: 2 of 2; after task 2: 1 of 2 of task 1 (or
// `later` both) and 1 of 2 of task 2.
std::shared_ptr<ToyRecord> record_of_tasks(bool keeps) {
  Truth truth = toy_truth({"a", "b", "a", "b", "c", "c"});
  truth.name = {"s0", "s1", "s2", "s3", "s4", "s5"};
  std::vector<Phase> phases{
      toy_phase({0, "post", "test"}, {"a", "b"}, {"a", "b"}),
      toy_phase({1, "post", "test"}, {"a", "b", "c"}, {"a", keeps ? "b" : "c", "c", "a"}, 2)};
  phases[0].task_of_class = {{"a", 0}, {"b", 0}};
  phases[1].task_of_class = {{"a", 0}, {"b", 0}, {"c", 1}};
  return std::make_shared<ToyRecord>(phases, truth);
}

PageSource source_of_tasks() {
  PageSource source = tiny_source();
  source.arms[0].seeds[0].record = record_of_tasks(false);
  return source;
}

std::size_t place_of(const TaskData& data, std::string_view measure) {
  for (std::size_t i = 0; i < data.at("measures").size(); ++i) {
    if (data.at("measures").at(i).at("name") == measure) {
      return i;
    }
  }
  throw std::runtime_error("no such measure");
}

TEST(TasksSection, has_the_matrix_and_its_measures_after_every_task) {
  const TaskData data = built_section(source_of_tasks(), "tasks");
  ASSERT_EQ(data.at("arms").size(), 1U);
  const TaskData& arm = data.at("arms").at(0);
  EXPECT_EQ(arm.at("tasks"), TaskData::parse("[1, 2]"));
  EXPECT_EQ(arm.at("classes"), TaskData::parse("[2, 1]"));
  EXPECT_EQ(arm.at("accuracy"), TaskData::parse("[[1.0, null], [0.5, 0.5]]"));
  const TaskData& first = arm.at("values").at(0).at(place_of(data, "task_accuracy"));
  EXPECT_EQ(first.at(0), 1.0);
  EXPECT_EQ(first.at(2), 1.0);  // no share is above
  // p (2 + 1) / (2 + 2), n 2: 1.96 sqrt(3/4 1/4 / 2) = 0.600
  EXPECT_NEAR(first.at(1).get<double>(), 1 - 0.600, 1e-3);
  EXPECT_EQ(arm.at("values").at(1).at(place_of(data, "backward_forgetting")),
            TaskData::parse("[0.5, null, null]"));
  EXPECT_TRUE(arm.at("frames").is_null());
  EXPECT_TRUE(data.at("memory").empty());
  EXPECT_THROW(place_of(data, "task_aware_accuracy"), std::runtime_error);  // nobody told tasks
  EXPECT_THROW(place_of(data, "intransigence"), std::runtime_error);
}

TEST(TasksSection, tells_the_range_of_several_seeds) {
  PageSource source = source_of_tasks();
  source.runs[0].seeds.push_back(source.runs[0].seeds[0]);
  source.arms[0].seeds.push_back({1, record_of_tasks(true)});
  const TaskData data = built_section(source, "tasks");
  const TaskData& arm = data.at("arms").at(0);
  EXPECT_EQ(arm.at("accuracy").at(1).at(0), 0.75);
  EXPECT_EQ(arm.at("values").at(1).at(place_of(data, "backward_forgetting")),
            TaskData::parse("[0.25, 0.0, 0.5]"));
  EXPECT_EQ(data.at("interval"), "mean, least and greatest of the seeds");
}

TEST(TasksSection, takes_an_arm_called_joint_for_the_reference) {
  PageSource source = source_of_tasks();
  source.arms.push_back(source.arms[0]);
  source.arms[1].number = 1;
  source.arms[1].predictor = "joint";
  source.arms[1].seeds[0].record = record_of_tasks(true);
  const TaskData data = built_section(source, "tasks");
  const std::size_t place = place_of(data, "intransigence");
  EXPECT_EQ(data.at("arms").at(0).at("values").at(1).at(place).at(0), 0.0);  // both 1 and 1/2
  EXPECT_TRUE(data.at("arms").at(1).at("values").at(1).at(place).at(0).is_null());
}

TEST(TasksSection, adds_up_what_is_kept_by_task) {
  PageSource source = source_of_tasks();
  source.runs[0].seeds[0].tables["memory.csv"] = {
      {"arm", "increment", "class", "samples", "frames", "bytes", "frames_shown"},
      {{"ncm-50pct", "0", "a", "3", "12", "96", ""},
       {"ncm-50pct", "0", "", "3", "12", "96", "100"},
       {"ncm-50pct", "1", "a", "1", "4", "32", ""},
       {"ncm-50pct", "1", "b", "1", "4", "32", ""},
       {"ncm-50pct", "1", "c", "2", "8", "64", ""},
       {"ncm-50pct", "1", "", "5", "20", "160", "200"},
       {"other", "1", "c", "9", "9", "9", ""}}};
  const TaskData data = built_section(source, "tasks");
  EXPECT_EQ(data.at("arms").at(0).at("frames"), 20);
  EXPECT_EQ(data.at("arms").at(0).at("shown"), 200);
  ASSERT_EQ(data.at("memory").size(), 3U);
  EXPECT_EQ(data.at("memory").at(1), TaskData::parse(R"({"arm": 0, "step": 1, "task": 1,
      "classes": 2.0, "samples": 2.0, "frames": 8.0, "bytes": 64.0})"));
  EXPECT_EQ(data.at("memory").at(2).at("task"), 2);
}

// Four samples of a and two of c are kept, one of these without a picture.
TEST(TasksSection, shows_what_a_bounded_memory_keeps_of_some_classes) {
  PageSource source = source_of_tasks();
  source.runs[0].seeds[0].tables["memory.csv"] = {
      {"arm", "increment", "class", "samples", "frames", "bytes", "frames_shown", "budget"},
      {{"ncm-50pct", "1", "", "6", "12", "96", "100", "20"}}};
  SampleData& samples = source.runs[0].samples;
  samples.kept = [](std::string_view arm) {
    EXPECT_EQ(arm, "ncm-50pct");
    std::vector<KeptSample> kept;
    for (const auto& [id, label] : std::initializer_list<std::pair<int, const char*>>{
             {4, "c"}, {0, "a"}, {2, "a"}, {1, "a"}, {3, "a"}, {5, "c"}}) {
      kept.push_back({static_cast<SampleId>(id), label, 2});
    }
    return kept;
  };
  samples.picture = [](const PictureWish& wish) -> std::optional<SamplePicture> {
    EXPECT_EQ(wish.arm, "ncm-50pct");
    if (wish.sample == SampleId{5}) {
      return std::nullopt;
    }
    return SamplePicture{std::string(1, static_cast<char>('0' + static_cast<int>(wish.sample))), 2,
                         true};
  };
  const TaskData exemplars = built_section(source, "tasks").at("exemplars");
  ASSERT_EQ(exemplars.size(), 1U);
  const TaskData& classes = exemplars.at(0).at("classes");
  ASSERT_EQ(classes.size(), 2U);  // a of task 1 before c of task 2
  EXPECT_EQ(classes.at(0).at("task"), 1);
  EXPECT_EQ(classes.at(0).at("samples"), 4);
  ASSERT_EQ(classes.at(0).at("items").size(), 3U);
  EXPECT_EQ(classes.at(0).at("items").at(1).at("frames"), 2);
  ASSERT_EQ(classes.at(1).at("items").size(), 1U);
  // The first of every class before the second of any.
  EXPECT_EQ(classes.at(0).at("items").at(0).at("media"), 0);
  EXPECT_EQ(classes.at(1).at("items").at(0).at("media"), 1);
  EXPECT_EQ(classes.at(0).at("items").at(1).at("media"), 2);
  source.runs[0].seeds[0].tables["memory.csv"].rows[0][7] = "";  // nothing bounds it
  EXPECT_TRUE(built_section(source, "tasks").at("exemplars").empty());
}

TEST(TasksSection, has_no_exemplars_when_the_data_are_gone) {
  PageSource source = source_of_tasks();
  source.runs[0].seeds[0].tables["memory.csv"] = {{"arm", "increment", "class", "budget"},
                                                  {{"ncm-50pct", "1", "", "20"}}};
  source.runs[0].samples.picture = [](const PictureWish&) { return SamplePicture{"x", 1, true}; };
  source.runs[0].samples.kept = [](std::string_view) -> std::vector<KeptSample> {
    throw Error(ErrorKind::data, "gone");
  };
  EXPECT_TRUE(built_section(source, "tasks").at("exemplars").empty());
}

TEST(TaskStory, tells_of_the_best_method_its_forgetting_and_its_memory) {
  PageSource source = source_of_tasks();
  source.runs[0].protocol = "cil";
  source.runs[0].headline = find_protocol("cil").headline;
  source.runs[0].seeds[0].tables["memory.csv"] = {
      {"arm", "increment", "class", "samples", "frames", "bytes", "frames_shown"},
      {{"ncm-50pct", "0", "", "3", "12", "96", "100"},
       {"ncm-50pct", "1", "", "5", "20", "160", "1200"}}};
  const auto story = [&] {
    return built_section(source, "summary").at("paragraphs").at(0).at("text").get<std::string>();
  };
  // 1/2 of task 1 (before: all) and 1/2 of task 2.
  EXPECT_THAT(story(), testing::HasSubstr("3 classes came in 2 tasks, 16 samples to learn from "
                                          "and 4 to be tested on. After the last task ncm-50pct "
                                          "named 50 %"));
  EXPECT_THAT(story(), testing::HasSubstr("right, mean over the tasks. Of a task just learned it "
                                          "had 75 %"));
  EXPECT_THAT(story(), testing::HasSubstr("right; 50 points of that were lost to later tasks. It "
                                          "kept 20 frames of 1,200 shown, 1.67 %."));
  // A better arm, and one that learned all together, which is no method.
  for (const char* name : {"better", "joint"}) {
    source.arms.push_back(source.arms[0]);
    source.arms.back().number = static_cast<Index>(source.arms.size() - 1);
    source.arms.back().name = source.arms.back().predictor = name;
    source.arms.back().seeds[0].record = record_of_tasks(true);
  }
  EXPECT_THAT(story(), testing::HasSubstr("After the last task better named 75 %"));
  EXPECT_THAT(story(), testing::HasSubstr("the most of 2 arms; next came ncm-50pct with 50 %"));
  EXPECT_THAT(story(), testing::HasSubstr("Who learned all tasks together (joint) had 75 %"));
  EXPECT_THAT(story(), testing::HasSubstr("nothing of that was lost"));
}

TEST(TasksSection, is_left_out_where_a_run_has_no_tasks) {
  EXPECT_TRUE(built_section(tiny_source(), "tasks").is_null());
}

}  // namespace
}  // namespace tyto
