// SPDX-License-Identifier: Apache-2.0
// Novelty detection on the page, of records small enough to work every number out by hand.
//
// Taught: a and b. Test, by score, the highest first:
//
//   sample  truth  score  group  time
//   4       c      9      e1     2
//   5       c      7      e1     1
//   2       a      6      e2     1
//   6       d      5      e3     0
//   7       d      3      e4     0
//   3       b      2      e2     0
//   8       a      1      e1     0
#include "tiny_page.hpp"
#include "toy_tests_page.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/report/page/detection/episode_moments.hpp"
#include "tyto/report/page/detection/shown_curve.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::built_section;
using testing_support::tiny_source;
using Sheet = nlohmann::json;

struct ScoredRow {
  int sample;
  float score;
};

Phase scored_phase(std::string split, const std::vector<ScoredRow>& rows) {
  Phase phase;
  phase.key = {0, "detect", std::move(split), 0};
  phase.space.add_known("a");
  phase.space.add_known("b");
  phase.known = phase.space.known_names();
  phase.shown = phase.known;
  const auto n = static_cast<Index>(rows.size());
  phase.top = Dense<std::int32_t>::Constant(n, 1, 1);
  phase.top_probability = Matrix::Constant(n, 1, 0.5F);
  for (const ScoredRow& row : rows) {
    phase.sample.push_back(static_cast<SampleId>(row.sample));
    phase.novelty.push_back(row.score);
    phase.confidence.push_back(0.5F);
  }
  return phase;
}

Truth nine_samples() {
  Truth truth;
  truth.label = {"a", "x", "a", "b", "c", "c", "d", "d", "a"};
  for (std::size_t i = 0; i < truth.label.size(); ++i) {
    truth.name.push_back("s" + std::to_string(i));
  }
  return truth;
}

Truth truth_of_episodes() {
  Truth truth = nine_samples();
  truth.group = {"v1", "v2", "e2", "e2", "e1", "e1", "e3", "e4", "e1"};
  truth.time = {0, 0, 1, 0, 2, 1, 0, 0, 0};
  return truth;
}

const std::vector<ScoredRow> kTestRows{{2, 6}, {3, 2}, {4, 9}, {5, 7}, {6, 5}, {7, 3}, {8, 1}};
const std::vector<ScoredRow> kValidateRows{{0, 4}, {1, 8}};  // normal 4, novel 8

PageSource detection_source(Truth truth, const std::vector<ScoredRow>& test = kTestRows,
                            const std::vector<ScoredRow>& validate = kValidateRows) {
  auto record = std::make_shared<MemoryRecord>(std::move(truth));
  if (!validate.empty()) {
    record->add(scored_phase("validate", validate));
  }
  record->add(scored_phase("test", test));
  PageSource source = tiny_source();
  source.runs[0].headline = find_protocol("detect").headline;
  source.arms[0].seeds[0].record = record;
  return source;
}

const Sheet& first_arm(const Sheet& data) {
  EXPECT_EQ(data.at("arms").size(), 1U);
  return data.at("arms").at(0);
}

Sheet point_called(const Sheet& arm, std::string_view name, std::string_view chosen,
                   std::string_view of = "samples") {
  for (const Sheet& point : arm.at("points")) {
    if (point.at("name") == name && point.at("chosen") == chosen && point.at("of") == of) {
      return point;
    }
  }
  ADD_FAILURE() << "no point " << name;
  return {};
}

// Pairs of a novel (9, 7, 5, 3) and a normal (6, 2, 1): 3 + 3 + 2 + 2 of 12 in order. Precision at
// the novel ones: 1, 1, 3/4, 4/5.
TEST(DetectionSection, tells_areas_ties_and_every_trade) {
  const Sheet data = built_section(detection_source(nine_samples()), "detection");
  const Sheet& arm = first_arm(data);
  EXPECT_EQ(arm.at("normal"), 3);
  EXPECT_EQ(arm.at("novel"), 4);
  EXPECT_EQ(arm.at("distinct"), 7);
  EXPECT_EQ(arm.at("largest_tie"), 1);
  EXPECT_NEAR(arm.at("areas").at(0).at(0).get<double>(), 10.0 / 12, 1e-5);
  EXPECT_NEAR(arm.at("areas").at(1).at(0).get<double>(), (1 + 1 + 0.75 + 0.8) / 4, 1e-5);
  EXPECT_LE(arm.at("areas").at(0).at(1).get<double>(), 10.0 / 12);
  EXPECT_EQ(arm.at("drawn"), "7 samples");
  EXPECT_EQ(arm.at("curve"), Sheet::parse("[[9,0,1],[7,0,2],[6,1,2],[5,1,3],[3,1,4],[2,2,4],"
                                          "[1,3,4]]"));
  EXPECT_TRUE(data.at("timelines").empty());  // there are no groups
  EXPECT_TRUE(arm.at("episodes").at("areas").empty());
  EXPECT_TRUE(arm.at("visible").empty());
  EXPECT_TRUE(data.at("problems").empty());
}

// On validate no score but 8 leaves the normal 4 alone; on test it finds the 9.
TEST(DetectionSection, chooses_thresholds_on_validate_and_judges_them_on_test) {
  const Sheet data = built_section(detection_source(nine_samples()), "detection");
  const Sheet& arm = first_arm(data);
  const Sheet rate = point_called(arm, "1 in 100 false alarms", "validate");
  EXPECT_EQ(rate.at("threshold"), 8.0);
  EXPECT_EQ(rate.at("recall").at(0), 0.25);
  EXPECT_EQ(rate.at("false_alarms").at(0), 0.0);
  // Three without an alarm show a rate below 1 - 0.05^(1/3).
  EXPECT_EQ(rate.at("false_alarms").at(1), 0.0);
  EXPECT_NEAR(rate.at("false_alarms").at(2).get<double>(), 0.631597, 1e-5);
  EXPECT_EQ(point_called(arm, "95 % found", "test").at("threshold"), 3.0);
  EXPECT_EQ(point_called(arm, "95 % found", "test").at("tied"), 1);
  EXPECT_EQ(point_called(arm, "95 % found", "validate").at("threshold"), 8.0);
  // Corners of validate with what they do on test: (0, 1) at 8, (1, 1) at 4.
  EXPECT_EQ(arm.at("choices"), Sheet::parse("[[8,0,1,0,1],[4,1,1,1,3]]"));
}

TEST(DetectionSection, tells_what_is_found_of_each_class_the_worst_first) {
  PageSource source = detection_source(nine_samples());
  const Sheet data = built_section(source, "detection");
  const Sheet& classes = first_arm(data).at("classes");
  ASSERT_EQ(classes.size(), 2U);
  const auto name = [&](const Sheet& of) {
    return source.names->all().at(of.at("name").get<std::size_t>());
  };
  EXPECT_EQ(name(classes.at(0)), "d");  // 5 and 3 above two of three normal ones each
  EXPECT_NEAR(classes.at(0).at("auroc").get<double>(), 4.0 / 6, 1e-5);
  EXPECT_EQ(name(classes.at(1)), "c");
  EXPECT_EQ(classes.at(1).at("auroc"), 1.0);
  EXPECT_EQ(classes.at(1).at("found").at(0), 1);  // at 8
  EXPECT_EQ(classes.at(0).at("found").at(0), 0);
}

TEST(DetectionSection, tells_what_is_found_by_visible_share) {
  Truth truth = nine_samples();
  truth.annotations["visible_share"] = {"", "", "", "", "0.01", "0.3", "0.0099", "not told", ""};
  const Sheet data = built_section(detection_source(truth), "detection");
  const Sheet& bins = first_arm(data).at("visible");
  ASSERT_EQ(bins.size(), 3U);
  EXPECT_EQ(bins.at(0).at("from"), 0.0);
  EXPECT_EQ(bins.at(0).at("below"), 0.01);
  EXPECT_EQ(bins.at(0).at("found").at(0), 0);  // sample 6
  EXPECT_EQ(bins.at(1).at("from"), 0.01);      // sample 4
  EXPECT_EQ(bins.at(1).at("found").at(0), 1);
  EXPECT_EQ(bins.at(2).at("from"), 0.25);
  EXPECT_TRUE(bins.at(2).at("below").is_null());
  EXPECT_EQ(bins.at(2).at("auroc"), 1.0);
}

// e1 is normal at first (1), then 7 and 9 of c; e2 is normal: 2, 6; e3 and e4 have one frame each.
TEST(DetectionSection, follows_episodes_in_the_order_of_time) {
  PageSource source = detection_source(truth_of_episodes());
  const Sheet data = built_section(source, "detection");
  const Sheet& arm = first_arm(data);
  EXPECT_EQ(arm.at("drawn"), "4 groups");
  EXPECT_EQ(arm.at("episodes").at("normal"), 1);
  EXPECT_EQ(arm.at("episodes").at("novel"), 3);
  // The last frame of an episode does not count: 7, 2, 5, 3.
  EXPECT_EQ(arm.at("episodes").at("areas").at(0).at(0), 1.0);
  EXPECT_EQ(point_called(arm, "95 % found", "test", "episodes").at("threshold"), 3.0);
  const auto timeline = std::find_if(data.at("timelines").begin(), data.at("timelines").end(),
                                     [](const Sheet& one) { return one.at("id") == "e1"; });
  ASSERT_NE(timeline, data.at("timelines").end());
  EXPECT_EQ(timeline->at("frames"), 3);
  EXPECT_EQ(timeline->at("first_novel"), 1);
  EXPECT_EQ(timeline->at("novel"), "011");
  EXPECT_EQ(timeline->at("scores").at(0).at("values"), Sheet::parse("[1,7,9]"));
  EXPECT_EQ(source.names->all().at(timeline->at("type").get<std::size_t>()), "c");
  // At 8 the first of c is noticed one frame late, and d never.
  const Sheet& types = arm.at("episodes").at("types");
  ASSERT_EQ(types.size(), 2U);
  EXPECT_EQ(types.at(0).at("moments").at(0), Sheet::parse("[0, 0, 1, 1]"));
  EXPECT_EQ(types.at(1).at("episodes"), 2);
  EXPECT_EQ(types.at(1).at("moments").at(0), Sheet::parse("[2, 0, null, 1]"));
}

TEST(DetectionSection, picks_the_worst_miss_the_earliest_false_alarm_and_one_of_each_type) {
  const auto source = detection_source(truth_of_episodes());
  Progress quiet;
  const JudgedArm arm = judge_arm(*source.arms[0].seeds[0].record, quiet);
  const auto picked = [&](double threshold) {
    std::vector<std::string> all;
    for (const PickedEpisode& one : picked_episodes(arm, threshold)) {
      all.push_back(one.why + " " + one.id);
    }
    return all;
  };
  EXPECT_THAT(picked(8.0), ElementsAre("miss e4", "normal e2", "type e1", "type e4", "miss e3"));
  EXPECT_THAT(picked(2.0), ElementsAre("false alarm e2", "normal e2", "type e1", "type e4"));
  EXPECT_EQ(episode_moments(arm.test, 0, 6.0).too_early, 1);  // e2: 2, 6
}

TEST(DetectionSection, tells_alarms_before_the_novelty_apart) {
  const Truth truth = truth_of_episodes();
  const auto source = detection_source(truth, {{8, 5}, {5, 1}, {4, 6}, {2, 0}});
  Progress quiet;
  const JudgedArm arm = judge_arm(*source.arms[0].seeds[0].record, quiet);
  const auto types = type_moments(arm.test, 4.0);
  ASSERT_EQ(types.size(), 1U);
  EXPECT_EQ(types[0].early, 1);
  EXPECT_EQ(types[0].never, 0);
  EXPECT_EQ(types[0].median_found, 1.0);
}

TEST(DetectionSection, says_where_nothing_can_be_told_apart) {
  const Sheet normal =
      built_section(detection_source(nine_samples(), {{2, 1}, {3, 2}}, {}), "detection");
  const Sheet& arm = first_arm(normal);
  EXPECT_EQ(arm.at("areas").at(0), Sheet::parse("[null, null, null]"));
  EXPECT_TRUE(arm.at("curve").empty());
  EXPECT_TRUE(arm.at("choices").empty());
  EXPECT_TRUE(arm.at("classes").empty());
  EXPECT_THAT(arm.at("notes").dump(), HasSubstr("all 2 measured samples are normal"));
  EXPECT_EQ(arm.at("points").at(0).at("chosen"), "test");
  EXPECT_TRUE(arm.at("points").at(0).at("recall").at(0).is_null());
  const Sheet novel =
      built_section(detection_source(nine_samples(), {{4, 1}, {6, 2}}), "detection");
  EXPECT_TRUE(first_arm(novel).at("curve").empty());
  EXPECT_TRUE(first_arm(novel).at("classes").at(0).at("auroc").is_null());
}

TEST(DetectionSection, counts_the_tie_a_threshold_lies_on) {
  const Sheet data = built_section(
      detection_source(nine_samples(), {{2, 5}, {3, 5}, {4, 5}, {6, 5}}, {{0, 5}, {1, 5}}),
      "detection");
  const Sheet& arm = first_arm(data);
  EXPECT_EQ(arm.at("distinct"), 1);
  EXPECT_EQ(arm.at("areas").at(0).at(0), 0.5);
  EXPECT_EQ(point_called(arm, "95 % found", "validate").at("tied"), 4);
  EXPECT_EQ(point_called(arm, "1 in 100 false alarms", "validate").at("tied"), 0);  // silence
  EXPECT_THAT(arm.at("notes").dump(), HasSubstr("all scores are equal"));
}

TEST(DetectionSection, names_an_arm_whose_scores_are_no_numbers) {
  const Sheet data = built_section(
      detection_source(nine_samples(), {{2, 1}, {4, std::numeric_limits<float>::quiet_NaN()}}),
      "detection");
  EXPECT_TRUE(data.at("arms").empty());
  EXPECT_EQ(data.at("problems").at(0).at(0), 0);
  EXPECT_THAT(data.at("problems").at(0).at(1).get<std::string>(), HasSubstr("not a number"));
}

TEST(DetectionSection, shows_the_most_mistaken_one_of_a_group) {
  PageSource source = detection_source(truth_of_episodes());
  source.runs[0].samples.picture = [](const PictureWish& wish) -> std::optional<SamplePicture> {
    return SamplePicture{std::to_string(static_cast<int>(wish.sample)), 1, true};
  };
  const Sheet data = built_section(source, "detection");
  const auto names = [&](std::size_t shelf) {
    std::vector<std::string> all;
    for (const Sheet& item : data.at("shelves").at(shelf).at("items")) {
      all.push_back(item.at("sample"));
      EXPECT_FALSE(item.at("media").is_null());
    }
    return all;
  };
  EXPECT_EQ(data.at("shelves").at(0).at("novel"), true);
  EXPECT_THAT(names(0), ElementsAre("s7", "s6", "s5"));  // s4 is of the episode of s5
  EXPECT_EQ(data.at("shelves").at(1).at("novel"), false);
  EXPECT_THAT(names(1), ElementsAre("s2", "s8"));
}

TEST(DetectionSection, shows_where_a_detector_of_patches_looks) {
  PageSource source = detection_source(truth_of_episodes());
  // Errors of 0 and the number of the sample; sample 6 has several frames, so no map.
  source.runs[0].samples.heat = [](std::string_view arm, std::span<const SampleId> samples) {
    EXPECT_EQ(arm, "ncm-50pct");
    std::vector<std::optional<PictureHeat>> all;
    for (const SampleId sample : samples) {
      const auto number = static_cast<float>(sample);
      all.push_back(PictureHeat{32, 64, 16, Matrix{{0, number}}, 8, 24, 16});
      if (number == 6) {
        all.back().reset();
      }
    }
    return all;
  };
  const Sheet data = built_section(source, "detection");
  ASSERT_EQ(data.at("shelves").size(), 3U);
  const Sheet& found = data.at("shelves").at(2);
  EXPECT_EQ(found.at("found"), true);
  EXPECT_EQ(found.at("novel"), true);
  EXPECT_EQ(data.at("shelves").at(0).at("found"), false);
  std::vector<std::string> names;
  for (const Sheet& item : found.at("items")) {
    names.push_back(item.at("sample"));
    EXPECT_EQ(item.contains("heat"), names.back() != "s6");
  }
  EXPECT_THAT(names, ElementsAre("s4", "s6", "s7"));  // by score
  const Sheet& heat = found.at("items").at(0).at("heat");
  EXPECT_EQ(heat, Sheet::parse("{\"height\": 32, \"width\": 64, \"cell\": 16, \"rows\": 1, "
                               "\"columns\": 2, \"errors\": \"AIA=\", \"worst\": [8, 24, 16]}"));
  // 8 is the greatest error of the arm: 4 is half of it, byte 128.
  EXPECT_EQ(data.at("shelves").at(1).at("items").at(1).at("heat").at("errors"), "AP8=");
}

TEST(DetectionSection, tells_the_rest_where_the_data_of_maps_are_gone) {
  PageSource source = detection_source(truth_of_episodes());
  source.runs[0].samples.heat =
      [](std::string_view, std::span<const SampleId>) -> std::vector<std::optional<PictureHeat>> {
    throw Error(ErrorKind::data, "gone");
  };
  EXPECT_EQ(built_section(source, "detection").at("shelves").size(), 2U);
}

TEST(DetectionSection, is_left_out_of_other_runs) {
  EXPECT_TRUE(built_section(tiny_source(), "detection").is_null());
}

// A curve of 10,000 scores: what costs would choose is kept to the last corner.
TEST(DetectionCurvePlaces, keep_every_corner_within_a_bound) {
  Rng rng(3, "curve");
  std::vector<double> score;
  std::vector<std::uint8_t> is_novel;
  for (int i = 0; i < 10000; ++i) {
    is_novel.push_back(i % 4 == 0 ? 1 : 0);
    score.push_back(rng.uniform() + (i % 4 == 0 ? 0.3 : 0.0));
  }
  const DetectionCurve curve = detection_curve(score, is_novel);
  const auto shown = shown_places(curve, 120);
  EXPECT_LE(shown.size(), 480U);
  EXPECT_TRUE(std::is_sorted(shown.begin(), shown.end()));
  const auto hull = hull_places(curve, 10000);
  EXPECT_LT(hull.size(), 120U);
  for (const double share : {0.02, 0.2, 0.5, 0.77, 0.99}) {
    const auto least = [&](const std::vector<std::size_t>& places) {
      double cost = share;
      for (const std::size_t place : places) {
        const auto& point = curve.points[place];
        cost = std::min(
            cost, share * (1 - curve.recall(point)) + (1 - share) * curve.false_alarm_rate(point));
      }
      return cost;
    };
    std::vector<std::size_t> every(curve.points.size());
    std::iota(every.begin(), every.end(), std::size_t{0});
    EXPECT_NEAR(least(shown), least(every), 1e-12);
    EXPECT_NEAR(least(hull), least(every), 1e-12);
  }
}

TEST(DetectionStory, tells_what_was_learned_and_found) {
  PageSource source = detection_source(nine_samples());
  source.runs[0].seeds[0].shown = {{0, "train", "a", false, 6},    {0, "train", "b", false, 4},
                                   {0, "validate", "a", false, 1}, {0, "validate", "x", true, 1},
                                   {0, "test", "a", false, 3},     {0, "test", "c", true, 2},
                                   {0, "test", "d", true, 2}};
  const Sheet summary = built_section(source, "summary");
  const std::string text = summary.at("paragraphs").at(0).at("text");
  EXPECT_THAT(text, HasSubstr("2 classes were learned as normal, from 10 samples. Of 7 test "
                              "samples 4 are of 2 classes that nobody taught."));
  EXPECT_THAT(text, HasSubstr("Thresholds were chosen on 1 normal sample and 1 of 1 other class."));
  EXPECT_THAT(text, HasSubstr("it found 25 %"));
}

}  // namespace
}  // namespace tyto
