// SPDX-License-Identifier: Apache-2.0
// Every section of the page of a tiny run (tiny_page.hpp) against numbers worked out by hand.
#include <set>

#include "support/page_reader.hpp"
#include "tiny_page.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/report/page/page.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::section_of;
using testing_support::tiny_source;
using Plain = nlohmann::json;

Plain page_of(const PageSource& source) {
  Progress quiet;
  return Plain::parse(page_json(source, quiet).dump());
}

Plain tiny_section(std::string_view kind) {
  return section_of(page_of(tiny_source()), kind);
}

PageSource two_seeds() {
  PageSource source = tiny_source();
  source.runs[0].seeds.push_back(testing_support::tiny_seed(8));
  source.arms[0].seeds.push_back({1, testing_support::perfect_record()});
  return source;
}

std::string name_at(const Plain& page, const Plain& number) {
  return page.at("names").at(number.get<std::size_t>());
}

TEST(PageSections, stand_in_reading_order_and_names_begin_with_unknown) {
  const Plain page = page_of(tiny_source());
  EXPECT_EQ(page.at("format"), 1);
  EXPECT_EQ(page.at("live"), false);
  EXPECT_EQ(page.at("names").at(0), "unknown");
  std::vector<std::string> kinds;
  for (const Plain& section : page.at("sections")) {
    kinds.push_back(section.at("kind"));
    EXPECT_FALSE(section.at("title").get<std::string>().empty());
    EXPECT_TRUE(section.at("about").get<std::string>().ends_with("."));
  }
  std::erase_if(kinds,
                [](const std::string& kind) { return kind == "space" || kind == "samples"; });
  EXPECT_THAT(kinds, testing::ElementsAre("summary", "progress", "world", "confusion", "novelty",
                                          "groups", "cost", "provenance"));
  EXPECT_EQ(page.at("runs"),
            Plain::parse(R"([{"name":"tiny","folder":"runs/tiny","done":true,"repeat":"seed"}])"));
  EXPECT_EQ(page.at("arms"),
            Plain::parse(R"([{"run":0,"name":"ncm-50pct","predictor":"ncm","feedback":"50 %",
                             "seeds":[7]}])"));
}

// Before feedback: of a, b one of two right (b called unknown), so known 1/2, false alarms 1/2; of
// the two c one called novel: 1/2. AUROC: novel 0.9, 0.2 against known 0.1, 0.8: three of four
// pairs in order. After: 2 of 2 and 3 of 4 right, pooled 5/6. The first novel sample was called: 0.
// Nothing of a and b is forgotten.
TEST(SummarySection, has_the_headline_with_intervals) {
  const Plain summary = tiny_section("summary");
  ASSERT_EQ(summary.at("columns").size(), 7U);
  EXPECT_EQ(summary.at("columns")[0].at("name"), "known_accuracy_before");
  EXPECT_EQ(summary.at("columns")[3].at("better"), "lower");
  const Plain& values = summary.at("rows")[0].at("values");
  const std::vector<double> expected{0.5, 0.75, 0.5, 0.5, 0.833333, 0.0, 0.0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_DOUBLE_EQ(values[i][0].get<double>(), expected[i]) << i;
  }
  for (const std::size_t i : {0U, 1U, 2U, 3U, 4U}) {
    ASSERT_FALSE(values[i][1].is_null()) << i;
    EXPECT_LE(values[i][1].get<double>(), expected[i]);
    EXPECT_GE(values[i][2].get<double>(), expected[i]);
  }
  EXPECT_TRUE(values[5][1].is_null());  // hangs on the order of the samples
  EXPECT_TRUE(values[6][1].is_null());  // of the whole run
  EXPECT_THAT(summary.at("interval"), HasSubstr("bootstrap"));
  EXPECT_TRUE(summary.at("warnings").empty());
}

TEST(SummarySection, tells_what_was_known_arrived_noticed_learned_forgotten_and_paid) {
  const std::string text = tiny_section("summary").at("paragraphs")[0].at("text");
  EXPECT_THAT(text, HasSubstr("At the start 2 of 3 classes were known, from 10 labelled samples. "
                              "Over 1 increment 1 more arrived, in 6 samples to learn from and 4 "
                              "to be tested on."));
  EXPECT_THAT(text, HasSubstr("The predictor is ncm-50pct."));
  EXPECT_THAT(text, HasSubstr("it noticed 50 % ["));
  EXPECT_THAT(text, HasSubstr("where 10 % were accepted."));
  EXPECT_THAT(text, HasSubstr("At increment 1 it first said that the world had changed."));
  EXPECT_THAT(text, HasSubstr("It discovered 1 class without a label."));
  EXPECT_THAT(text, HasSubstr("With 50 % feedback it knew 3 classes at the end and named 83 % ["));
  EXPECT_THAT(text, HasSubstr("as often at their last test as at their best one: it forgot "
                              "nothing."));
  EXPECT_THAT(text, HasSubstr("That cost 3 labels after the start and "));
}

// Four answers at increment 1 cost 6; one of the labels was wrong.
PageSource with_prices() {
  auto record = std::make_shared<MemoryRecord>(testing_support::tiny_truth());
  const auto plain = testing_support::tiny_record();
  for (const PhaseKey& key : plain->phases()) {
    Phase phase = plain->phase(key);
    if (key.step > 0) {
      phase.feedback = {6, 4, 1};
    }
    record->add(std::move(phase));
  }
  PageSource source = tiny_source();
  source.arms.front().seeds.front().record = record;
  return source;
}

TEST(SummarySection, tells_what_answers_cost_that_are_more_than_labels) {
  const std::string text =
      section_of(page_of(with_prices()), "summary").at("paragraphs")[0].at("text");
  EXPECT_THAT(text, HasSubstr("That cost 3 labels after the start (4 answers asked for, which cost "
                              "6; 33 % of the labels were wrong) and "));
}

TEST(SummarySection, gives_mean_least_and_greatest_of_several_seeds) {
  const Plain page = page_of(two_seeds());
  EXPECT_EQ(page.at("arms")[0].at("seeds"), Plain::parse("[7,8]"));
  const Plain summary = section_of(page, "summary");
  // Seed 8 is right in everything: known right 1, false alarms 0.
  EXPECT_EQ(summary.at("rows")[0].at("values")[0], Plain::parse("[0.75,0.5,1]"));
  EXPECT_EQ(summary.at("rows")[0].at("values")[3], Plain::parse("[0.25,0,0.5]"));
  EXPECT_THAT(summary.at("interval"), HasSubstr("Several seeds"));
  EXPECT_THAT(summary.at("interval"), testing::Not(HasSubstr("bootstrap")));
  EXPECT_THAT(summary.at("paragraphs")[0].at("text"),
              HasSubstr("Shares are means over 2 seeds, counts those of seed 7."));
}

TEST(SummarySection, tells_the_arm_that_named_most_right_and_its_other_budgets) {
  PageSource source = tiny_source();
  PageArm full = testing_support::tiny_arm();
  full.number = 1;
  full.name = "ncm-100pct";
  full.feedback = "100 %";
  full.seeds = {{0, testing_support::perfect_record()}};
  source.arms.push_back(full);
  const std::string text = section_of(page_of(source), "summary").at("paragraphs")[0].at("text");
  EXPECT_THAT(text, HasSubstr("Of 2 arms ncm-100pct named most right after feedback"));
  EXPECT_THAT(text, HasSubstr("named 100 % [100, 100] of the test samples right (83 % ["));
  EXPECT_THAT(text, HasSubstr("with 50 %)"));
}

TEST(SummarySection, warns_where_runs_show_different_samples) {
  PageSource source = tiny_source();
  source.runs.push_back(testing_support::tiny_run());
  source.runs[1].number = 1;
  source.runs[1].name = "other";
  source.arms.push_back(testing_support::tiny_arm());
  source.arms[1].number = 1;
  source.arms[1].run = 1;
  EXPECT_TRUE(section_of(page_of(source), "summary").at("warnings").empty());
  source.runs[1].seeds[0].shown.back().samples = 3;
  const Plain page = page_of(source);
  EXPECT_THAT(section_of(page, "summary").at("warnings")[0],
              HasSubstr("tiny and other did not show the same samples"));
  EXPECT_EQ(page.at("arms")[1].at("run"), 1);
}

TEST(ProgressSection, has_whole_steps_before_and_half_steps_after_feedback) {
  const Plain progress = tiny_section("progress");
  const auto line = [&](std::string_view split, std::string_view view, std::string_view measure,
                        std::string_view novel_to) -> Plain {
    for (const Plain& one : progress.at("lines")) {
      if (one.at("split") == split && one.at("view") == view && one.at("measure") == measure &&
          one.at("novel_to") == novel_to) {
        return one.at("points");
      }
    }
    return nullptr;
  };
  // Raw accuracy: step 0 after 2/2; step 1 before: a alone of four; after 3/4.
  EXPECT_EQ(line("test", "raw", "accuracy", "predictor"),
            Plain::parse(R"([{"at":0.5,"phase":"post","value":[1,null,null]},
                             {"at":1,"phase":"pre","value":[0.25,null,null]},
                             {"at":1.5,"phase":"post","value":[0.75,null,null]}])"));
  EXPECT_EQ(line("train", "raw", "accuracy", "predictor"),
            Plain::parse(R"([{"at":1,"phase":"pre","value":[0.5,null,null]}])"));
  // a and b are right both times.
  EXPECT_EQ(line("test", "raw", "forgetting", "predictor"),
            Plain::parse(R"([{"at":0.5,"phase":"post","value":[null,null,null]},
                             {"at":1.5,"phase":"post","value":[0,null,null]}])"));
  // After feedback c is known to the predictor, but new to the evaluator, who showed it at 1 first.
  const Plain rates = line("test", "detection", "detection_rate", "evaluator");
  ASSERT_EQ(rates.size(), 3U);
  EXPECT_EQ(rates[2], Plain::parse(R"({"at":1.5,"phase":"post","value":[0.5,null,null]})"));
  std::set<std::string> titled;
  for (const Plain& measure : progress.at("measures")) {
    titled.insert(measure.at("name"));
  }
  for (const Plain& one : progress.at("lines")) {
    EXPECT_TRUE(titled.contains(one.at("measure"))) << one.at("measure");
  }
}

TEST(ProgressSection, bands_several_seeds) {
  const Plain progress = section_of(page_of(two_seeds()), "progress");
  for (const Plain& line : progress.at("lines")) {
    if (line.at("split") == "test" && line.at("view") == "raw" &&
        line.at("measure") == "accuracy" && line.at("novel_to") == "predictor") {
      // Before feedback 1/4 and 2/4 (c cannot be named), after it 3/4 and 4/4.
      EXPECT_EQ(line.at("points")[1].at("value"), Plain::parse("[0.375,0.25,0.5]"));
      EXPECT_EQ(line.at("points")[2].at("value"), Plain::parse("[0.875,0.75,1]"));
      return;
    }
  }
  FAIL() << "no line";
}

TEST(WorldSection, counts_what_is_shown_and_granted) {
  const Plain page = page_of(tiny_source());
  const Plain world = section_of(page, "world").at("worlds")[0];
  const Plain& second = world.at("increments")[1];
  EXPECT_EQ(second.at("counts"), Plain::parse(R"([{"split":"train","known":1,"novel":5},
                                                  {"split":"test","known":2,"novel":2}])"));
  ASSERT_EQ(second.at("introduced").size(), 1U);
  EXPECT_EQ(name_at(page, second.at("introduced")[0]), "c");
  EXPECT_EQ(world.at("increments")[0].at("introduced").size(), 2U);
  // a: 6 + 1 at step 0; 1 + 1 at step 1; c: 5 + 2.
  for (const Plain& cell : world.at("density")) {
    const std::string name = name_at(page, cell[0]);
    const int step = cell[1];
    const int expected = step == 0 ? (name == "a" ? 7 : 5) : name == "a" ? 2 : name == "b" ? 1 : 7;
    EXPECT_EQ(cell[2], expected) << name << step;
  }
  EXPECT_EQ(world.at("density").size(), 5U);
  EXPECT_EQ(world.at("feedback"),
            Plain::parse(R"([{"arm":0,"step":0,"shown":10,"granted":10,"classes":2},
                             {"arm":0,"step":1,"shown":6,"granted":3,"classes":1}])"));
}

TEST(WorldSection, tells_what_feedback_cost_where_answers_have_a_price) {
  const Plain world = section_of(page_of(with_prices()), "world").at("worlds")[0];
  EXPECT_EQ(world.at("feedback"),
            Plain::parse(R"([{"arm":0,"step":0,"shown":10,"granted":10,"classes":2},
                             {"arm":0,"step":1,"shown":6,"granted":3,"classes":1,"asked":4,
                              "wrong":1,"spent":6}])"));
}

TEST(ConfusionSection, has_raw_counts_by_step_phase_and_split) {
  const Plain page = page_of(tiny_source());
  const Plain confusion = section_of(page, "confusion");
  EXPECT_EQ(confusion.at("note"), "");
  ASSERT_EQ(confusion.at("matrices").size(), 4U);
  const Plain& before = confusion.at("matrices")[2];
  EXPECT_EQ(before.at("step"), 1);
  EXPECT_EQ(before.at("phase"), "pre");
  EXPECT_EQ(before.at("split"), "test");
  ASSERT_EQ(before.at("known").size(), 2U);
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < before.at("cells").size(); i += 3) {
    cells.push_back(name_at(page, before.at("cells")[i]) + " as " +
                    name_at(page, before.at("cells")[i + 1]) + " " +
                    before.at("cells")[i + 2].dump());
  }
  EXPECT_THAT(cells, testing::UnorderedElementsAre("a as a 1", "b as unknown 1",
                                                   "c as discovered_0 1", "c as b 1"));
  EXPECT_EQ(confusion.at("matrices")[3].at("known").size(), 3U);
}

TEST(NoveltySection, has_histogram_threshold_errors_and_curves) {
  const Plain novelty = tiny_section("novelty");
  ASSERT_EQ(novelty.at("curves").size(), 1U);
  const Plain& curve = novelty.at("curves")[0];
  EXPECT_EQ(curve.at("step"), 1);
  EXPECT_EQ(curve.at("edges").size(), curve.at("known").size() + 1);
  const auto sum = [](const Plain& counts) {
    int total = 0;
    for (const Plain& count : counts) {
      total += count.get<int>();
    }
    return total;
  };
  EXPECT_EQ(sum(curve.at("known")), 2);
  EXPECT_EQ(sum(curve.at("novel")), 2);
  EXPECT_EQ(curve.at("known").front(), 1);  // 0.1 is the lowest score, 0.9 the highest
  EXPECT_EQ(curve.at("novel").back(), 1);
  EXPECT_EQ(curve.at("threshold"), 0.8);  // called: 0.8, 0.9; not called: 0.1, 0.2
  EXPECT_EQ(curve.at("promised"), 0.1);
  EXPECT_EQ(curve.at("real"), 0.5);
  EXPECT_EQ(curve.at("auroc"), 0.75);
  // From the highest score: novel 0.9, known 0.8, novel 0.2, known 0.1.
  EXPECT_EQ(curve.at("roc"), Plain::parse("[[0,0],[0,0.5],[0.5,0.5],[0.5,1],[1,1]]"));
  EXPECT_EQ(curve.at("pr"), Plain::parse("[[0,1],[0.5,1],[0.5,0.5],[1,0.666667],[1,0.5]]"));
  // From the lowest: a, named right; novel; b, whose best known entry is not on record; novel.
  EXPECT_EQ(curve.at("oscr"), Plain::parse("[[0,0],[0,0.5],[0.5,0.5],[0.5,0.5],[1,0.5]]"));
}

TEST(NoveltySection, has_no_threshold_where_decisions_follow_no_single_score) {
  PageSource source = tiny_source();
  auto record = std::make_shared<MemoryRecord>(testing_support::tiny_truth());
  record->add(
      testing_support::tiny_phase({1, "pre", "test"}, {{2, "unknown", 0.1F}, {4, "a", 0.8F}}));
  source.arms[0].seeds[0].record = record;
  const Plain curve = section_of(page_of(source), "novelty").at("curves")[0];
  EXPECT_TRUE(curve.at("threshold").is_null());
}

TEST(NoveltySection, tells_the_life_of_discovered_classes_and_alarms) {
  const Plain page = page_of(tiny_source());
  const Plain novelty = section_of(page, "novelty");
  ASSERT_EQ(novelty.at("discovered").size(), 1U);
  const Plain& found = novelty.at("discovered")[0];
  EXPECT_EQ(name_at(page, found.at("name")), "discovered_0");
  EXPECT_EQ(found.at("found"), 1);
  EXPECT_EQ(found.at("retired"), 1);
  EXPECT_EQ(found.at("into"), "c");
  EXPECT_EQ(found.at("why"), "named by feedback");
  EXPECT_EQ(found.at("size"), 2);  // sample 6 of train, 4 of test
  EXPECT_EQ(found.at("purity"), 1);
  EXPECT_EQ(found.at("life"), Plain::parse("[[1,2]]"));
  EXPECT_EQ(name_at(page, found.at("mix")[0][0]), "c");
  EXPECT_EQ(found.at("mix")[0][1], 2);
  EXPECT_EQ(novelty.at("alarms"),
            Plain::parse(R"([{"arm":0,"step":1,"samples":2,"log_evidence":3.5,"changed":true,
                             "since":null,"kind":"new_classes","novel_share":0.5}])"));
}

TEST(NoveltySection, finds_discovered_classes_in_the_record_of_an_unfinished_run) {
  PageSource source = tiny_source();
  source.runs[0].seeds[0].tables.erase("discoveries.csv");
  const Plain found = section_of(page_of(source), "novelty").at("discovered")[0];
  EXPECT_EQ(found.at("found"), 1);
  EXPECT_EQ(found.at("retired"), 1);
  EXPECT_EQ(found.at("into"), "c");
}

// In: a right, c noticed, no alarm; after 3/3. Out: b called unknown, c missed; after 2/3.
TEST(GroupsSection, measures_by_annotations_of_two_to_forty_values) {
  const Plain groups = tiny_section("groups");
  ASSERT_EQ(groups.at("columns").size(), 1U);  // "camera" has one value, "group" is the same again
  const Plain& place = groups.at("columns")[0];
  EXPECT_EQ(place.at("column"), "place");
  ASSERT_EQ(place.at("rows").size(), 2U);
  const auto values = [](const Plain& row) {
    std::vector<double> all;
    for (const Plain& value : row.at("values")) {
      all.push_back(value[0].get<double>());
    }
    return all;
  };
  ASSERT_EQ(place.at("measures").size(), 7U);  // three main ones, four of the headline
  EXPECT_EQ(place.at("main"), 3);
  EXPECT_EQ(place.at("note"), "");
  EXPECT_EQ(place.at("measures")[1].at("title"), "MCC");
  EXPECT_EQ(place.at("rows")[0].at("group"), "in");
  EXPECT_EQ(place.at("rows")[0].at("samples"), 3);
  // After feedback: a a c, all right. Then b b and c taken for a: MCC (2 x 3 - 4) / (sqrt(9 - 5)
  // sqrt(9 - 5)) = 1/2; the answers tell the groups apart, though not by name: NMI 1.
  EXPECT_THAT(values(place.at("rows")[0]), testing::ElementsAre(1, 1, 1, 1, 1, 0, 1));
  EXPECT_EQ(place.at("rows")[1].at("group"), "out");
  EXPECT_THAT(values(place.at("rows")[1]),
              testing::ElementsAre(0.666667, 0.5, 1, 0, 0, 1, 0.666667));
  for (const std::size_t i : {0U, 1U, 2U}) {
    EXPECT_FALSE(place.at("rows")[1].at("values")[i][1].is_null()) << "no interval of " << i;
  }
}

TEST(GroupsSection, shows_a_column_of_another_table_in_thirds_with_the_rest_as_a_group) {
  PageSource source = tiny_source();
  // Tested are s0 to s5; s5 has no value, and s9 is no sample of the run.
  source.wanted_groups = {
      {"area", 3, {"s4", "s3", "s2", "s1", "s0", "s9"}, {"9", "1", "3", "2", "5", "7"}, "ava.csv"}};
  const Plain groups = section_of(page_of(source), "groups");
  ASSERT_EQ(groups.at("columns").size(), 2U);
  const Plain& area = groups.at("columns")[0];
  EXPECT_EQ(area.at("column"), "area:3");
  EXPECT_THAT(area.at("note"),
              HasSubstr("area cut into 3 parts of equal count over 5 samples; 1 of 3: 1 to 2"));
  std::map<std::string, Index> samples;
  for (const Plain& row : area.at("rows")) {
    samples[row.at("group")] = row.at("samples");
  }
  EXPECT_EQ(samples.at("N/A"), 1);
  EXPECT_EQ(samples.at("1 of 3") + samples.at("2 of 3") + samples.at("3 of 3"), 5);
  EXPECT_EQ(area.at("rows").back().at("group"), "N/A");
  EXPECT_EQ(area.at("rows").back().at("values")[0][0], 0.0);  // s5, of c, was taken for a
  EXPECT_EQ(groups.at("columns")[1].at("column"), "place");
}

TEST(GroupsSection, refuses_what_was_asked_for_and_cannot_be_shown) {
  const auto problem = [](WantedGroups wanted) {
    PageSource source = tiny_source();
    source.wanted_groups = {std::move(wanted)};
    try {
      static_cast<void>(page_of(source));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(problem({"plaec", {}, {}, {}, ""}), HasSubstr("did you mean \"place\"?"));
  EXPECT_THAT(problem({"area", 3, {"x1"}, {"2"}, "ava.csv"}),
              HasSubstr("ava.csv: none of its 1 ids is the name of a sample such as \"s0\""));
  EXPECT_THAT(problem({"area", 2, {"s0"}, {"wide"}, "ava.csv"}), HasSubstr("not a finite number"));
}

TEST(GroupsSection, is_left_out_where_samples_are_not_annotated) {
  PageSource source = tiny_source();
  Truth truth = testing_support::tiny_truth();
  truth.annotations.clear();
  source.arms[0].seeds[0].record = testing_support::tiny_record(truth);
  EXPECT_TRUE(section_of(page_of(source), "groups").is_null());
}

TEST(GroupsSection, leaves_out_a_column_of_more_than_forty_values) {
  Truth truth;
  std::vector<testing_support::TinyRow> rows;
  for (int i = 0; i < 41; ++i) {
    truth.label.emplace_back("a");
    truth.name.push_back("s" + std::to_string(i));
    truth.annotations["video"].push_back(std::to_string(i));
    truth.annotations["camera"].push_back(std::to_string(i % 40));
    rows.push_back({i, "a"});
  }
  auto record = std::make_shared<MemoryRecord>(truth);
  record->add(testing_support::tiny_phase({0, "post", "test"}, rows));
  PageSource source = tiny_source();
  source.arms[0].seeds[0].record = record;
  const Plain groups = section_of(page_of(source), "groups");
  ASSERT_EQ(groups.at("columns").size(), 1U);
  EXPECT_EQ(groups.at("columns")[0].at("column"), "camera");
  EXPECT_EQ(groups.at("columns")[0].at("rows").size(), 40U);
}

TEST(CostSection, adds_up_seconds_by_step_and_counts_a_commit_once) {
  const Plain cost = tiny_section("cost");
  ASSERT_EQ(cost.at("steps").size(), 3U);
  // -1: last commit 0.25 and measuring 0.5.
  EXPECT_EQ(cost.at("steps")[0],
            Plain::parse(R"({"arm":0,"seed":7,"step":-1,"seconds":{"learn":0,"predict":0,"other":0,
                             "around":0.75},"anonymous_mb":13,"mapped_mb":6})"));
  // 0: 1.5 + 0.5 seconds, 1 of them learning, 0.25 predicting.
  EXPECT_EQ(cost.at("steps")[1].at("seconds"),
            Plain::parse(R"({"learn":1,"predict":0.25,"other":0,"around":0.75})"));
  EXPECT_EQ(cost.at("steps")[1].at("anonymous_mb"), 12);
  // 1: the commit as it was made the second time, 4 seconds.
  EXPECT_EQ(cost.at("steps")[2].at("seconds").at("around"), 2.75);
  EXPECT_EQ(cost.at("labels"), Plain::parse(R"([{"arm":0,"step":0,"granted":10,"total":10},
                                                {"arm":0,"step":1,"granted":3,"total":13}])"));
  EXPECT_EQ(cost.at("sizes"),
            Plain::parse(R"([{"arm":0,"step":0,"model_bytes":110,"memory_bytes":40,
                             "remembered":10},{"arm":0,"step":1,"model_bytes":120,
                             "memory_bytes":52,"remembered":13}])"));
}

TEST(CostSection, adds_up_what_was_spent_where_answers_have_a_price) {
  const Plain cost = section_of(page_of(with_prices()), "cost");
  EXPECT_EQ(cost.at("labels"),
            Plain::parse(R"([{"arm":0,"step":0,"granted":10,"total":10,"spent":0},
                             {"arm":0,"step":1,"granted":3,"total":13,"spent":6}])"));
}

TEST(ProvenanceSection, has_what_makes_the_run_again) {
  const Plain run = tiny_section("provenance").at("runs")[0];
  EXPECT_EQ(run.at("command"), "tyto run runs/tiny/experiment.yaml");
  EXPECT_EQ(run.at("experiment"), "name: tiny\n");
  EXPECT_EQ(run.at("prior_knowledge"), "none");
  EXPECT_EQ(run.at("facts"), Plain::parse(R"([["version","0.1.0"]])"));
  EXPECT_EQ(run.at("datasets"), Plain::parse(R"([{"name":"letters","digest":"00ff","samples":8,
                                                  "source":"somewhere"}])"));
  const Plain& items = run.at("properties")[0].at("items");
  ASSERT_EQ(items.size(), 7U);
  EXPECT_EQ(items[6], Plain::parse(R"(["prior knowledge","none"])"));
  EXPECT_EQ(items[0], Plain::parse(R"(["complexity","classifier ncm; 120 bytes at the end"])"));
  EXPECT_EQ(items[3][1], "seconds per step: the section on cost");  // of a run that kept no sizes
  EXPECT_EQ(items[4][1], "takes in classes without labels: 1 discovered in all");
  EXPECT_EQ(items[5][1], "3 classes known at the end; ncm: O(n d) time, O(k d) memory");
}

// 1 + 0 + 0.5 seconds of learning, 0.25 + 0.5 of predicting; the commit that was made again counts
// once.
TEST(ProvenanceSection, tells_parameters_and_seconds_with_their_sizes) {
  PageSource source = tiny_source();
  std::string& text = source.runs[0].seeds[0].texts["properties.json"];
  const auto put = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  put("\"timeliness\": \"times.csv\"",
      "\"timeliness\": {\"seconds\": \"times.csv\", \"samples_learned\": [10, 0, 3], "
      "\"samples_predicted\": [0, 2, 10]}");
  put("[100, 110, 120]",
      "[100, 110, 120], \"parameters\": [4, 4, 6], \"parameters_changed\": [4, 0, 2]");
  const Plain items =
      section_of(page_of(source), "provenance").at("runs")[0].at("properties")[0].at("items");
  EXPECT_EQ(items[0][1],
            "classifier ncm; 120 bytes at the end; 6 parameters at the end; the updates touched 4, "
            "0, 2");
  EXPECT_EQ(items[3][1],
            "learned 13 samples in 1.5 s, predicted 12 in 0.75 s, with 3 classes at the end; per "
            "step: the section on cost");
}

TEST(PageSections, see_the_runs_that_have_what_they_need_alone) {
  PageSource source = tiny_source();
  source.runs.insert(source.runs.begin(), testing_support::tiny_run());
  source.runs[0].protocol = "cil";  // has committed nothing yet
  source.runs[1].number = 1;
  source.arms[0].run = 1;
  const Plain page = page_of(source);
  EXPECT_EQ(section_of(page, "world").at("worlds").size(), 1U);
  EXPECT_EQ(section_of(page, "world").at("worlds")[0].at("run"), 1);
  EXPECT_EQ(section_of(page, "summary").at("paragraphs").size(), 2U);
  EXPECT_EQ(section_of(page, "provenance").at("runs").size(), 2U);
}

TEST(PageSections, say_where_they_show_the_first_seed_alone) {
  const Plain page = page_of(two_seeds());
  for (const Plain& section : page.at("sections")) {
    if (section.at("kind") == "confusion") {
      EXPECT_THAT(section.at("about"), HasSubstr("the first is shown"));
    }
    if (section.at("kind") == "progress") {
      EXPECT_THAT(section.at("about"), testing::Not(HasSubstr("the first is shown")));
    }
  }
  EXPECT_EQ(page.at("runs")[0].at("repeat"), "seed");
  // Cost alone tells seeds apart.
  EXPECT_EQ(section_of(page, "cost").at("steps").size(), 6U);
}

TEST(PageSections, call_folds_folds) {
  PageSource source = two_seeds();
  source.runs[0].repeat = "fold";
  const Plain page = page_of(source);
  EXPECT_EQ(page.at("runs")[0].at("repeat"), "fold");
  for (const Plain& section : page.at("sections")) {
    const std::string about = section.at("about");
    EXPECT_THAT(about, testing::Not(HasSubstr("seed"))) << section.at("kind");
    EXPECT_THAT(about, testing::Not(HasSubstr("{"))) << section.at("kind");
    if (section.at("kind") == "progress") {
      EXPECT_THAT(about, HasSubstr("with several folds the mean, least and greatest"));
    }
    if (section.at("kind") == "confusion") {
      EXPECT_THAT(about, HasSubstr("Of a run with several folds, the first is shown."));
    }
  }
  const Plain summary = section_of(page, "summary");
  EXPECT_THAT(summary.at("interval"), HasSubstr("Several folds: their mean"));
  EXPECT_THAT(summary.at("paragraphs")[0].at("text"),
              HasSubstr("Shares are means over 2 folds, counts those of the first fold."));
}

TEST(ProgressSection, has_the_reference_of_who_forgets_where_the_run_asks_for_it) {
  auto record = std::make_shared<MemoryRecord>(testing_support::tiny_truth());
  const auto plain = testing_support::tiny_record();
  for (const PhaseKey& key : plain->phases()) {
    Phase phase = plain->phase(key);
    phase.last_shown.assign(phase.shown.size(), key.step - 1);
    record->add(std::move(phase));
  }
  PageSource source = tiny_source();
  source.arms.front().seeds.front().record = record;
  const auto references_of = [](const PageSource& from) {
    std::set<std::string> references;
    const Plain progress = section_of(page_of(from), "progress");
    for (const Plain& line : progress.at("lines")) {
      references.insert(line.at("novel_to"));
    }
    return references;
  };
  EXPECT_FALSE(references_of(source).contains("evaluator_again_2"));
  source.runs[0].novel_again = 2;
  EXPECT_TRUE(references_of(source).contains("evaluator_again_2"));
}

}  // namespace
}  // namespace tyto
