// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/table.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "measure/toy_record.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/measure/headline.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/measure/tables/render.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Step 1: A known, X novel. Step 2: A and X known, Y novel.
ToyRecord two_steps() {
  Phase first = toy_phase({1, "pre", "test"}, {"A"}, {"A", "unknown", "unknown", "A"}, 0);
  first.novelty = {0.F, 2.F, 3.F, 1.F};
  Phase learned = toy_phase({1, "post", "test"}, {"A", "X"}, {"A", "A", "X", "X"}, 0);
  Phase second = toy_phase({2, "pre", "test"}, {"A", "X"},
                           {"A", "X", "A", "A", "discovered_0", "discovered_0"}, 4);
  second.novelty = {0.F, 0.F, 0.F, 1.F, 1.F, 1.F};
  Phase again = toy_phase({2, "post", "test"}, {"A", "X", "Y"}, {"A", "X", "X", "Y", "Y", "A"}, 4);
  return {{first, learned, second, again},
          toy_truth({"A", "A", "X", "X", "A", "X", "X", "Y", "Y", "Y"})};
}

const MeasureRow& row_of(const std::vector<MeasureRow>& rows, Index step, std::string_view phase,
                         std::string_view view, std::string_view measure) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const MeasureRow& row) {
    return row.step == step && row.phase == phase && row.view == view && row.measure == measure;
  });
  EXPECT_NE(found, rows.end()) << step << ' ' << phase << ' ' << view << ' ' << measure;
  return *found;
}

TEST(MeasureRun, measures_every_phase) {
  const auto rows = measure_run(two_steps());
  EXPECT_EQ(row_of(rows, 1, "pre", "classification", "accuracy").value, 0.5);
  EXPECT_EQ(row_of(rows, 1, "pre", "detection", "detection_rate").value, 0.5);
  EXPECT_EQ(row_of(rows, 1, "pre", "detection", "auroc").value, 0.75);  // 3 > 0, 2; 1 > 0 alone
  EXPECT_EQ(row_of(rows, 2, "pre", "detection", "auroc").value, 1.0);
  EXPECT_EQ(row_of(rows, 1, "post", "raw", "accuracy").value, 1.0);
}

TEST(MeasureRun, leaves_undefined_values_missing) {
  const auto rows = measure_run(two_steps());
  EXPECT_FALSE(row_of(rows, 1, "post", "detection", "detection_rate").value);
  EXPECT_FALSE(row_of(rows, 1, "post", "detection", "auroc").value);
  EXPECT_FALSE(row_of(rows, 1, "post", "detection", "reaction_time").value);
  EXPECT_FALSE(row_of(rows, 1, "pre", "raw", "top5_accuracy").value);
}

TEST(MeasureRun, sums_counts_over_the_steps) {
  const auto rows = measure_run(two_steps());
  // Known before feedback: A, A of step 1 and A, X, X of step 2; false alarms: one of them.
  EXPECT_DOUBLE_EQ(*row_of(rows, kAllSteps, "pre", "detection", "false_alarm_rate").value, 1 / 5.);
  // Right: 1 of 2 and 2 of 3.
  EXPECT_DOUBLE_EQ(*row_of(rows, kAllSteps, "pre", "classification", "known_accuracy").value,
                   3 / 5.);
  // Novel: 1 of 2 and 2 of 3 noticed.
  EXPECT_DOUBLE_EQ(*row_of(rows, kAllSteps, "pre", "detection", "detection_rate").value, 3 / 5.);
  // After feedback: 4 of 4 and 5 of 6.
  EXPECT_DOUBLE_EQ(*row_of(rows, kAllSteps, "post", "classification", "accuracy").value, 9 / 10.);
}

TEST(MeasureRun, takes_means_over_the_steps_that_have_a_value) {
  ToyRecord record = two_steps();
  EXPECT_DOUBLE_EQ(*row_of(measure_run(record), kAllSteps, "pre", "detection", "auroc").value,
                   0.875);
  // Step 1: a = d, 0. Step 2: a = 3, d = 4, z = 5, m = 2, r = 3: 2 / (3 + 3/2) = 4/9.
  EXPECT_DOUBLE_EQ(
      *row_of(measure_run(record), kAllSteps, "pre", "detection", "reaction_time").value, 2 / 9.);
  record.all[0].novelty.clear();
  EXPECT_DOUBLE_EQ(*row_of(measure_run(record), kAllSteps, "pre", "detection", "auroc").value, 1.0);
}

TEST(MeasureRun, keeps_splits_apart_in_the_sums) {
  ToyRecord record = two_steps();
  record.all[2].key.split = "validate";
  const auto rows = measure_run(record);
  const auto groups = [&] {
    std::set<std::string> names;
    for (const MeasureRow& row : rows) {
      if (row.step == kAllSteps) {
        names.insert(row.phase + " " + row.split);
      }
    }
    return names;
  }();
  EXPECT_EQ(groups, (std::set<std::string>{"pre test", "pre validate", "post test"}));
}

TEST(MeasureRun, gives_every_reference_asked_for) {
  ToyRecord record = two_steps();
  record.all[2].shown = {"A", "X", "Y"};
  const auto rows = measure_run(record, {.novel_to = {NovelTo::predictor, NovelTo::evaluator},
                                         .measures = {"detection_rate"}});
  ASSERT_EQ(rows.size(), 12u);  // four phases and two sums, twice
  EXPECT_EQ(rows[4].novel_to, "predictor");
  EXPECT_DOUBLE_EQ(*rows[4].value, 2 / 3.);
  EXPECT_EQ(rows[5].novel_to, "evaluator");
  EXPECT_FALSE(rows[5].value);  // Y was shown before
}

TEST(MeasureRun, refuses_a_run_without_truth_and_an_unheard_of_measure) {
  ToyRecord record = two_steps();
  EXPECT_THROW(static_cast<void>(measure_run(record, {.novel_to = {}, .measures = {"acuracy"}})),
               Error);
  record.labels.reset();
  EXPECT_THROW(static_cast<void>(measure_run(record)), Error);
}

TEST(MeasureSpecs, each_tell_name_summary_formula_and_view) {
  std::set<std::string> names;
  for (const MeasureSpec& spec : measure_specs()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name << " is listed twice";
    EXPECT_FALSE(spec.summary.empty() || spec.formula.empty() || spec.views.empty()) << spec.name;
  }
  EXPECT_GE(names.size(), 14u);
}

TEST(MeasureSpecs, each_measure_an_empty_phase_as_missing) {
  const PhaseView empty = view_phase(toy_phase({0, "pre", "test"}, {"A"}, {}), toy_truth({}));
  for (const MeasureSpec& spec : measure_specs()) {
    for (const View view : spec.views) {
      EXPECT_FALSE(spec.value(empty, view)) << spec.name;
    }
  }
}

TEST(FindMeasure, names_the_likely_spelling) {
  EXPECT_EQ(find_measure("mcc").name, "mcc");
  try {
    static_cast<void>(find_measure("acuracy"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_THAT(error.what(),
                StartsWith("no measure is called \"acuracy\" (did you mean \"accuracy\"?)"));
  }
}

TEST(ToCsv, quotes_leading_columns_and_leaves_missing_values_empty) {
  const ArmMeasures arm{{{"arm", "evm, \"tuned\""}, {"seed", "3"}},
                        {{3, "pre", "test", "detection", "auroc", "predictor", 0.1},
                         {kAllSteps, "pre", "test", "raw", "mcc", "predictor", std::nullopt}}};
  EXPECT_EQ(to_csv(std::vector{arm}),
            "arm,seed,step,phase,split,novel_to,view,measure,value\n"
            "\"evm, \"\"tuned\"\"\",3,3,pre,test,predictor,detection,auroc,0.1\n"
            "\"evm, \"\"tuned\"\"\",3,all,pre,test,predictor,raw,mcc,\n");
}

TEST(ToCsv, refuses_arms_with_other_leading_columns) {
  const std::vector<ArmMeasures> arms = {{{{"arm", "a"}}, {}}, {{{"name", "b"}}, {}}};
  EXPECT_THROW(static_cast<void>(to_csv(arms)), Error);
}

TEST(ToJson, reads_back_to_the_same_rows) {
  const ArmMeasures arm{{{"arm", "evm"}}, measure_run(two_steps())};
  const auto list = nlohmann::json::parse(to_json(std::vector{arm}));
  ASSERT_EQ(list.size(), arm.rows.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i]["arm"], "evm");
    EXPECT_EQ(list[i]["measure"], arm.rows[i].measure);
    EXPECT_EQ(list[i]["value"].is_null(), !arm.rows[i].value);
    if (arm.rows[i].value) {
      EXPECT_EQ(list[i]["value"].get<double>(), *arm.rows[i].value);
    }
  }
  EXPECT_EQ(list[0]["step"], 1);
  EXPECT_EQ(list.back()["step"], "all");
  EXPECT_EQ(nlohmann::json::parse(to_json({})).size(), 0u);
}

TEST(Headline, takes_its_numbers_from_the_rows_over_all_steps) {
  const auto numbers = headline(measure_run(two_steps()), find_protocol("owl").headline);
  std::map<std::string, std::optional<double>> values;
  for (const HeadlineNumber& number : numbers) {
    values[number.name] = number.value;
    EXPECT_FALSE(number.title.empty() || number.meaning.empty());
  }
  EXPECT_DOUBLE_EQ(values.at("known_accuracy_before").value(), 3 / 5.);
  EXPECT_DOUBLE_EQ(values.at("novelty_auroc_before").value(), 0.875);
  EXPECT_DOUBLE_EQ(values.at("noticed_before").value(), 3 / 5.);
  EXPECT_DOUBLE_EQ(values.at("false_alarms_before").value(), 1 / 5.);
  EXPECT_DOUBLE_EQ(values.at("accuracy_after").value(), 9 / 10.);
  EXPECT_DOUBLE_EQ(values.at("reaction_time").value(), 2 / 9.);
  EXPECT_DOUBLE_EQ(values.at("forgotten").value(), 0.0);
}

TEST(Headline, points_to_measures_that_exist_in_the_view_it_names) {
  for (const std::string protocol : {"owl", "calibrate"}) {
    for (const HeadlineNumber& number : headline_legend(find_protocol(protocol).headline)) {
      if (const RunMeasureSpec* spec = find_run_measure(number.measure)) {
        EXPECT_EQ(view_name(spec->view), number.view) << number.name;
        continue;
      }
      const MeasureSpec& spec = find_measure(number.measure);
      EXPECT_TRUE(std::any_of(spec.views.begin(), spec.views.end(), [&](View view) {
        return view_name(view) == number.view;
      })) << number.name;
    }
  }
}

TEST(Headline, leaves_what_the_run_does_not_have_missing) {
  for (const HeadlineNumber& number :
       headline(measure_run(two_steps()), find_protocol("calibrate").headline)) {
    EXPECT_EQ(number.value.has_value(), number.measure == "closed_accuracy") << number.name;
  }
}

}  // namespace
}  // namespace tyto
