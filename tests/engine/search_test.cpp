// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/search/search.hpp"

#include <set>

#include "measure/toy_record.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/engine/search/judge.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SearchOptions search_of(const std::string& yaml) {
  return read_options<SearchOptions>(parse_yaml(yaml, "toy.yaml"), "search");
}

PredictorConfig ncm() {
  return read_predictor(parse_yaml("ncm", "toy.yaml"), "predictors.0");
}

std::vector<std::string> settings_of(const std::vector<Variant>& variants) {
  std::vector<std::string> out;
  for (const Variant& variant : variants) {
    out.push_back(variant.settings);
  }
  return out;
}

std::string search_refusal(const std::string& yaml) {
  try {
    variants(ncm(), search_of(yaml), 1);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "";
}

TEST(Variants, of_a_grid_are_all_combinations_behind_the_options_as_given) {
  const auto all =
      variants(ncm(),
               search_of("{method: grid, options: {ncm: {accepted_error: [0.05, 0.2], holdout: "
                         "[0.1, 0.3]}}}"),
               1);
  EXPECT_THAT(settings_of(all), ElementsAre("{}", "{accepted_error: 0.05, holdout: 0.1}",
                                            "{accepted_error: 0.05, holdout: 0.3}",
                                            "{accepted_error: 0.2, holdout: 0.1}",
                                            "{accepted_error: 0.2, holdout: 0.3}"));
  EXPECT_EQ(all[2].config.accepted_error, 0.05);
  EXPECT_EQ(all[2].config.holdout, 0.3);
  EXPECT_EQ(all[0].config.accepted_error, ncm().accepted_error);
}

TEST(Variants, drawn_at_random_lie_in_their_spans_and_follow_the_seed) {
  const SearchOptions options = search_of(
      "{method: random, trials: 30, options: {ncm: {accepted_error: {from: 0.001, to: 0.1, log: "
      "true}, holdout: [0.1, 0.2]}}}");
  const auto all = variants(ncm(), options, 7);
  ASSERT_EQ(all.size(), 30U);
  int below = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_GE(all[i].config.accepted_error, 0.001);
    EXPECT_LE(all[i].config.accepted_error, 0.1);
    below += all[i].config.accepted_error < 0.01 ? 1 : 0;  // the middle of the logarithms
  }
  EXPECT_GT(below, 6);
  EXPECT_LT(below, 23);
  EXPECT_EQ(settings_of(variants(ncm(), options, 7)), settings_of(all));
  EXPECT_NE(settings_of(variants(ncm(), options, 8)), settings_of(all));
}

TEST(Variants, drawn_from_few_values_come_once_each) {
  const auto all = variants(
      ncm(), search_of("{method: random, trials: 50, options: {ncm: {holdout: [0.1, 0.2, 0.3]}}}"),
      1);
  const auto settings = settings_of(all);
  EXPECT_EQ(settings.size(), 4U);
  EXPECT_EQ(std::set(settings.begin(), settings.end()).size(), 4U);
}

TEST(Variants, name_what_cannot_be_searched) {
  EXPECT_THAT(search_refusal("{method: grid, trials: 2, options: {ncm: {holdout: [0.1, 0.2]}}}"),
              HasSubstr("search.trials: 2 are not enough for the grid of \"ncm\", which has 2"));
  EXPECT_THAT(search_refusal("{method: grid, options: {ncm: {holdout: {from: 0, to: 1}}}}"),
              HasSubstr("search.options.ncm.holdout: a grid needs a list of values"));
  EXPECT_THAT(search_refusal("{method: random, options: {ncm: {holdout: {from: 0.2, to: 0.1}}}}"),
              HasSubstr("from 0.2 must be below to 0.1"));
  EXPECT_THAT(search_refusal("{method: random, options: {ncm: {hldout: [0.1]}}}"),
              HasSubstr("did you mean \"holdout\""));
  EXPECT_THAT(search_refusal("{method: random, options: {ncm: {holdout: [7]}}}"),
              HasSubstr("holdout"));
}

// Normal scores 50, 99, 100, 200 and new ones 10, 99.5, 100, 300.
ToyRecord judged_record() {
  Truth truth;
  truth.label = {"A", "A", "A", "A", "X", "X", "X", "X"};
  Phase phase = toy_phase({0, "detect", "test"}, {"A"}, std::vector<std::string>(8, "A"), 0);
  phase.novelty = {50, 99, 100, 200, 10, 99.5F, 100, 300};
  return {{phase}, truth};
}

TEST(Judge, takes_the_recall_at_a_stated_precision_or_rate_of_false_alarms) {
  const ToyRecord record = judged_record();
  const auto value = [&](const std::string& how) {
    return judged(record, search_of("{method: grid, phase: detect, " + how + "}")).value();
  };
  EXPECT_DOUBLE_EQ(value("at_precision: 0.6"), 0.75);      // from 99.5 on: 3 of 5 alarms are right
  EXPECT_DOUBLE_EQ(value("at_precision: 0.9"), 0.25);      // 300 alone
  EXPECT_DOUBLE_EQ(value("at_false_alarms: 0.25"), 0.25);  // from 200 on
  EXPECT_DOUBLE_EQ(value("at_false_alarms: 0.5"), 0.75);   // from 99.5 on
  EXPECT_FALSE(judged(record, search_of("{method: grid, phase: pre, at_precision: 0.6}")));
}

TEST(Judge, takes_measures_of_whole_runs) {
  const ToyRecord record = judged_record();
  const SearchOptions search =
      search_of("{method: grid, phase: detect, view: detection, measure: tpr_at_80_ppv}");
  EXPECT_DOUBLE_EQ(judged(record, search).value(), 0.25);
  EXPECT_TRUE(higher_is_better(search));
  EXPECT_FALSE(higher_is_better(search_of("{method: grid, measure: episode_delay}")));
  EXPECT_DOUBLE_EQ(
      judged(record, search_of("{phase: detect, view: detection, measure: auroc}")).value(),
      8.5 / 16);  // 0, 2, 2.5 and 4 normal ones below each new one, ties half
}

TEST(Judge, says_what_it_cannot_judge_by) {
  const auto refusal = [](const std::string& yaml) -> std::string {
    try {
      check_judge(search_of(yaml), {"detect"}, "detect");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("{phase: detect, measure: recall_at_1pct}"), "");
  EXPECT_EQ(refusal("{phase: detect, at_precision: 0.9}"), "");
  EXPECT_THAT(refusal("{phase: detect, at_precision: 0.9, at_false_alarms: 0.1}"),
              HasSubstr("are two thresholds"));
  EXPECT_THAT(refusal("{phase: pre, at_precision: 0.9}"),
              HasSubstr("the protocol detect has no phase \"pre\""));
  EXPECT_THAT(refusal("{phase: detect, measure: recal_at_1pct}"), HasSubstr("recal_at_1pct"));
  EXPECT_THAT(refusal("{phase: detect, measure: auroc}"),
              HasSubstr("auroc has no meaning in the view classification"));
}

TEST(Trials, read_back_and_the_best_is_the_first_of_the_best) {
  const SearchOptions higher = search_of("{method: grid, measure: accuracy}");
  const SearchOptions lower = search_of("{method: grid, measure: reaction_time}");
  const std::vector<Trial> trials{{"ncm", "{}", 0.5, false},
                                  {"ncm", "{holdout: 0.1, a: b}", 0.7, true},
                                  {"ncm", "{holdout: 0.2}", 0.7, false},
                                  {"ncm", "{holdout: 0.3}", {}, false},
                                  {"ncm", "{holdout: 0.4}", 0.1, false}};
  EXPECT_EQ(best_trial(trials, higher), 1U);
  EXPECT_EQ(best_trial(trials, lower), 4U);
  const std::string text = to_csv(trials);
  EXPECT_THAT(text, HasSubstr("ncm,1,\"{holdout: 0.1, a: b}\",0.7,yes\n"));
  const auto read = trials_from_csv(text, "search.csv");
  ASSERT_EQ(read.size(), 5U);
  EXPECT_EQ(to_csv(read), text);
  EXPECT_FALSE(read[3].value);
}

}  // namespace
}  // namespace tyto
