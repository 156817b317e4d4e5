// SPDX-License-Identifier: Apache-2.0
// Groups, intervals, classes and paired differences of tables and toy runs.
#include <cmath>
#include <map>
#include <set>

#include "measure/toy_record.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/measure/formulas/per_class.hpp"
#include "tyto/measure/intervals/paired.hpp"
#include "tyto/record/foreign/prediction_table.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<TableRecord> table_of(const std::string& csv, std::vector<std::string> wanted = {},
                                      const std::string& known = "A,B") {
  PredictionTableOptions options;
  options.known = KnownList::parse(known);
  options.wanted = std::move(wanted);
  return std::make_unique<TableRecord>(CsvTable::parse(csv, "p.csv"), options);
}

// n samples, each right with probability 1 - error, in clusters that are right or wrong together.
std::string drawn_table(std::uint64_t seed, int n, double error, int cluster = 1) {
  Rng rng(seed, "table");
  std::string csv = "id,label,predicted,novelty,subject\n";
  bool wrong = false;
  for (int i = 0; i < n; ++i) {
    wrong = i % cluster == 0 ? rng.uniform() < error : wrong;
    const char* label = i % 2 == 0 ? "A" : "B";
    const char* other = i % 2 == 0 ? "B" : "A";
    csv += std::to_string(i) + "," + label + "," + (wrong ? other : label) + "," +
           std::to_string(rng.uniform()) + ",s" + std::to_string(i / cluster) + "\n";
  }
  return csv;
}

MeasureRow accuracy_row(const RunRecord& record, const BootstrapOptions& options) {
  Progress silent;
  const auto columns = measure_columns({"accuracy"});
  const auto rows = measure_series(view_series(record, {}), columns, &options, silent);
  return *std::find_if(rows.begin(), rows.end(), [](const MeasureRow& row) {
    return row.step == kAllSteps && row.view == "raw";
  });
}

std::vector<MeasureRow> rows_by(const RunRecord& record, std::string_view column,
                                std::optional<Index> parts) {
  const auto series = view_series(record, {});
  const Truth& truth = *record.truth();
  const Groups groups = make_groups(truth, annotation_values(truth, column),
                                    measured_samples(series, truth), column, parts);
  Progress silent;
  std::vector<MeasureRow> rows;
  for (MeasureRow& row :
       measure_series(by_group(series, groups), measure_columns({"accuracy"}), nullptr, silent)) {
    if (row.step == kAllSteps && row.view == "raw") {
      rows.push_back(row);
    }
  }
  return rows;
}

TEST(MeasureSeries, gives_the_rows_of_measure_run) {
  Phase first = toy_phase({1, "pre", "test"}, {"A"}, {"A", "unknown", "unknown", "A"}, 0);
  first.novelty = {0.F, 2.F, 3.F, 1.F};
  const Phase learned = toy_phase({1, "post", "test"}, {"A", "X"}, {"A", "A", "X", "X"}, 0);
  const Phase second = toy_phase({2, "pre", "test"}, {"A", "X"}, {"A", "X", "A"}, 4);
  const ToyRecord record({first, learned, second}, toy_truth({"A", "A", "X", "X", "A", "X", "Y"}));
  const TableOptions options{{NovelTo::predictor, NovelTo::evaluator}, {}};
  Progress silent;
  const ArmMeasures held{
      {}, measure_series(view_series(record, options), measure_columns({}), nullptr, silent)};
  const ArmMeasures one_at_a_time{{}, measure_run(record, options)};
  EXPECT_EQ(to_csv(std::span(&held, 1)), to_csv(std::span(&one_at_a_time, 1)));
}

TEST(MeasureRun, keeps_to_the_phase_and_split_asked_for) {
  const ToyRecord record({toy_phase({1, "pre", "test"}, {"A"}, {"A"}, 0),
                          toy_phase({1, "post", "train"}, {"A"}, {"A"}, 1)},
                         toy_truth({"A", "A"}));
  for (const MeasureRow& row : measure_run(record, {.only = {"", "test"}})) {
    EXPECT_EQ(row.phase, "pre");
  }
  try {
    static_cast<void>(measure_run(record, {.only = {"pre", "tset"}}));
    FAIL();
  } catch (const Error& problem) {
    EXPECT_EQ(problem.kind(), ErrorKind::config);
    EXPECT_THAT(problem.what(), HasSubstr("no split is called \"tset\" (did you mean \"test\"?)"));
  }
}

TEST(Groups, part_the_samples_by_word_and_leave_the_others_to_a_group_of_their_own) {
  const auto record = table_of(
      "id,label,predicted,light\n"
      "1,A,A,day\n2,A,B,night\n3,B,B,day\n4,B,A,\n7,B,A,N/A\n5,B,B,night\n6,A,A,day\n",
      {"light"});
  const auto rows = rows_by(*record, "light", {});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].group, "day");
  EXPECT_EQ(rows[0].samples, 3);
  EXPECT_EQ(rows[0].value, 1.0);
  EXPECT_EQ(rows[1].group, "night");
  EXPECT_EQ(rows[1].value, 0.5);
  EXPECT_EQ(rows[2].group, "N/A");
  EXPECT_EQ(rows[2].value, 0.0);
}

TEST(Groups, of_numbers_come_in_their_order) {
  const auto record =
      table_of("id,label,predicted,actions\n1,A,A,10\n2,A,A,9\n3,A,A,2\n", {"actions"});
  std::vector<std::string> names;
  for (const MeasureRow& row : rows_by(*record, "actions", {})) {
    names.push_back(row.group);
  }
  EXPECT_THAT(names, ElementsAre("2", "9", "10"));
}

TEST(Groups, cut_a_number_into_thirds_of_equal_count) {
  // Areas 1..6 and one without: {1, 2}, {3, 4}, {5, 6}, N/A; wrong are 2, 5 and 6.
  const auto record = table_of(
      "id,label,predicted,area\n"
      "1,A,A,4\n2,A,B,6\n3,B,B,1\n4,B,A,2\n5,B,B,\n6,A,A,3\n7,B,A,5\n",
      {"area"});
  const auto rows = rows_by(*record, "area", 3);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].group, "1 of 3");
  EXPECT_EQ(rows[0].value, 0.5);
  EXPECT_EQ(rows[1].value, 1.0);
  EXPECT_EQ(rows[2].value, 0.0);
  EXPECT_EQ(rows[3].group, "N/A");
  EXPECT_EQ(rows[3].value, 1.0);
}

TEST(Groups, count_a_sample_of_two_phases_once_in_the_cut) {
  // Areas 1, 2, 3, 4, the first two in both phases: halves {1, 2} and {3, 4}, not {1, 1, 2}.
  const auto record = table_of(
      "id,label,predicted,phase,area\n"
      "a,A,A,pre,1\nb,A,A,pre,2\nc,A,A,pre,3\nd,A,A,pre,4\na,A,A,post,1\nb,A,A,post,2\n",
      {"area"});
  const auto rows = rows_by(*record, "area", 2);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].samples, 2);
  EXPECT_EQ(rows[1].samples, 2);
  EXPECT_EQ(rows[2].phase, "post");
  EXPECT_EQ(rows[2].samples, 2);
}

TEST(Groups, refuse_words_that_should_be_numbers_and_columns_that_are_not_there) {
  const auto record = table_of("id,label,predicted,area\n1,A,A,large\n", {"area"});
  EXPECT_THROW(static_cast<void>(rows_by(*record, "area", 3)), Error);
  try {
    static_cast<void>(rows_by(*record, "are", {}));
    FAIL();
  } catch (const Error& problem) {
    EXPECT_EQ(problem.kind(), ErrorKind::config);
    EXPECT_THAT(problem.what(), HasSubstr("did you mean \"area\""));
  }
}

TEST(Groups, join_a_clip_by_its_video_where_the_clip_itself_is_not_listed) {
  const auto record = table_of(
      "id,label,predicted\nv_000010_000020,A,A\nw_000001_000011,A,A\nx_00001_000011,A,A\n");
  const std::vector<std::string> ids{"v", "w", "w_000001_000011", "x"};
  const std::vector<std::string> values{"1", "2", "3", "4"};
  EXPECT_THAT(joined_values(*record->truth(), ids, values, "t.csv"), ElementsAre("1", "3", ""));
}

TEST(Groups, join_another_table_by_the_name_of_the_sample) {
  const auto record = table_of("id,label,predicted\na,A,A\nb,A,A\nc,A,A\n");
  const std::vector<std::string> ids{"c", "z", "a"};
  const std::vector<std::string> values{"3", "26", "1"};
  EXPECT_THAT(joined_values(*record->truth(), ids, values, "t.csv"), ElementsAre("1", "", "3"));
  const std::vector<std::string> strangers{"x", "y", "z"};
  EXPECT_THROW(static_cast<void>(joined_values(*record->truth(), strangers, values, "t.csv")),
               Error);
  const std::vector<std::string> twice{"a", "a", "b"};
  EXPECT_THROW(static_cast<void>(joined_values(*record->truth(), twice, values, "t.csv")), Error);
}

TEST(Bootstrap, covers_the_true_accuracy_about_as_often_as_it_says) {
  // 60 samples right with probability 0.75, 200 times; a percentile interval of a share is known
  // to cover a little less than it says in small samples.
  BootstrapOptions options;
  options.replicates = 150;
  const auto columns = measure_columns({"accuracy"});
  const std::vector<MeasureColumn> raw{columns.front()};
  Progress silent;
  const int threads = thread_count();
  set_thread_count(1);  // tiny loops: waiting for each other would take longer
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto record = table_of(drawn_table(seed, 60, 0.25));
    const auto series = view_series(*record, {});
    options.seed = seed;
    const Interval interval =
        bootstrap_intervals(series.front().steps, raw, options, silent).back().front();
    covered += interval.low.value() <= 0.75 && 0.75 <= interval.high.value() ? 1 : 0;
  }
  set_thread_count(threads);
  EXPECT_GE(covered, 180);
  EXPECT_LE(covered, 198);
}

TEST(Bootstrap, is_as_wide_as_the_binomial_says) {
  // 400 samples: standard error sqrt(p q / n), 95 % interval about 3.92 of them wide.
  const auto record = table_of(drawn_table(7, 400, 0.3));
  const MeasureRow row = accuracy_row(*record, {.replicates = 2000});
  const double p = row.value.value();
  const double expected = 3.92 * std::sqrt(p * (1 - p) / 400);
  EXPECT_NEAR(row.high.value() - row.low.value(), expected, 0.1 * expected);
  EXPECT_LT(row.low.value(), p);
  EXPECT_GT(row.high.value(), p);
}

TEST(Bootstrap, of_whole_groups_is_wider_where_groups_stand_together) {
  // Ten samples a subject, all right or all wrong: the real sample size is 40, not 400.
  const auto record = table_of(drawn_table(3, 400, 0.3, 10), {"subject"});
  const auto subjects = make_groups(*record->truth(), record->truth()->annotations.at("subject"),
                                    std::vector<std::uint8_t>(400, 1), "subject");
  const MeasureRow naive = accuracy_row(*record, {.replicates = 1000});
  const MeasureRow whole = accuracy_row(*record, {.replicates = 1000, .unit = subjects.of});
  const double ratio = (*whole.high - *whole.low) / (*naive.high - *naive.low);
  EXPECT_NEAR(ratio, std::sqrt(10.0), 0.6);
}

TEST(Bootstrap, draws_whole_units_through_all_increments) {
  const auto record = table_of(
      "id,label,predicted,increment,subject\n"
      "a,A,A,0,s\nb,A,A,0,t\nc,A,A,1,s\nd,A,A,1,s\ne,A,A,1,t\nf,A,A,1,\n",
      {"subject"});
  const auto series = view_series(*record, {});
  // s has rows {0} and {0, 1}, t has {1} and {2}; f is by itself.
  const BootstrapOptions options{.unit = {0, 1, 0, 0, 1, -1}};
  const Resampler resampler(series.front().steps, options);
  std::set<std::size_t> sizes;
  for (Index replicate = 0; replicate < 50; ++replicate) {
    const auto rows = resampler.draw(replicate);
    const auto s = std::count(rows[0].begin(), rows[0].end(), 0);
    const auto t = std::count(rows[0].begin(), rows[0].end(), 1);
    const auto f = std::count(rows[1].begin(), rows[1].end(), 3);
    EXPECT_EQ(s + t + f, 3);
    EXPECT_EQ(std::count(rows[1].begin(), rows[1].end(), 0), s);
    EXPECT_EQ(std::count(rows[1].begin(), rows[1].end(), 1), s);
    EXPECT_EQ(std::count(rows[1].begin(), rows[1].end(), 2), t);
    sizes.insert(rows[1].size());
  }
  EXPECT_GT(sizes.size(), 2u);
}

TEST(Bootstrap, by_class_keeps_the_size_of_every_class_and_by_default_of_every_increment) {
  const auto record =
      table_of("id,label,predicted,increment\na,A,A,0\nb,A,A,0\nc,B,A,0\nd,B,B,1\ne,B,B,1\n");
  const auto series = view_series(*record, {});
  const auto& steps = series.front().steps;
  for (Index replicate = 0; replicate < 30; ++replicate) {
    const auto plain = Resampler(steps, {}).draw(replicate);
    EXPECT_EQ(plain[0].size(), 3u);
    EXPECT_EQ(plain[1].size(), 2u);
    const auto rows = Resampler(steps, {.stratified = true}).draw(replicate);
    EXPECT_EQ(std::count(rows[0].begin(), rows[0].end(), 2), 1);
    EXPECT_EQ(rows[0].size(), 3u);
  }
}

TEST(Bootstrap, is_the_same_at_any_number_of_threads_and_another_with_another_seed) {
  const auto record = table_of(drawn_table(1, 100, 0.3));
  const auto series = view_series(*record, {});
  const auto columns = measure_columns({});
  Progress silent;
  const auto rows = [&](int threads, std::uint64_t seed) {
    const int before = thread_count();
    set_thread_count(threads);
    const BootstrapOptions options{.replicates = 50, .seed = seed};
    const ArmMeasures arm{{}, measure_series(series, columns, &options, silent)};
    set_thread_count(before);
    return csv_text(long_table(std::span(&arm, 1), {.intervals = true}));
  };
  EXPECT_EQ(rows(1, 5), rows(3, 5));
  EXPECT_NE(rows(1, 5), rows(1, 6));
}

TEST(Bootstrap, gives_no_interval_to_what_hangs_on_the_order) {
  const auto record = table_of("id,label,predicted\n1,A,A\n2,X,A\n3,X,unknown\n4,B,B\n", {}, "A,B");
  const BootstrapOptions options{.replicates = 40};
  Progress silent;
  for (const MeasureRow& row :
       measure_series(view_series(*record, {}), measure_columns({"reaction_time", "accuracy"}),
                      &options, silent)) {
    EXPECT_TRUE(row.value);
    EXPECT_EQ(row.low.has_value(), row.measure != "reaction_time") << row.measure;
  }
}

TEST(Bootstrap, refuses_what_makes_no_sense) {
  EXPECT_THROW((BootstrapOptions{.replicates = 0}.check()), Error);
  EXPECT_THROW((BootstrapOptions{.level = 1.0}.check()), Error);
  EXPECT_THROW((BootstrapOptions{.stratified = true, .unit = {0}}.check()), Error);
}

TEST(PercentileInterval, interpolates_between_the_values_that_are_defined) {
  const double nan = std::nan("");
  const std::vector<double> values{4, 0, nan, 2, 1, 3};  // 0 1 2 3 4: 10 % at 0.4, 90 % at 3.6
  const Interval interval = percentile_interval(values, 0.8);
  EXPECT_DOUBLE_EQ(interval.low.value(), 0.4);
  EXPECT_DOUBLE_EQ(interval.high.value(), 3.6);
  EXPECT_FALSE(percentile_interval(std::vector<double>{nan, nan, 1}, 0.8).low);
}

TEST(PerClass, counts_each_class_and_what_it_is_taken_for) {
  const auto record = table_of(
      "id,label,predicted\n"
      "1,A,A\n2,A,A\n3,A,B\n4,A,unknown\n5,B,B\n6,B,A\n7,X,A\n8,X,unknown\n9,X,unknown\n");
  const auto rows = per_class(view_series(*record, {}).front());
  std::map<std::string, ClassRow> all;
  for (const ClassRow& row : rows) {
    if (row.step == kAllSteps) {
      all[row.name] = row;
    }
  }
  ASSERT_EQ(all.size(), 4u);
  const ClassRow& a = all.at("A");
  EXPECT_EQ(a.support, 4);
  EXPECT_EQ(a.predicted, 4);
  EXPECT_DOUBLE_EQ(a.precision.value(), 2 / 4.);
  EXPECT_DOUBLE_EQ(a.recall.value(), 2 / 4.);
  EXPECT_DOUBLE_EQ(a.f1.value(), 2 * 2 / 8.);
  EXPECT_DOUBLE_EQ(a.called_novel.value(), 1 / 4.);
  EXPECT_EQ(a.confused_with, "B");  // as often as unknown: the first by name
  EXPECT_EQ(a.known, "yes");
  const ClassRow& x = all.at("X");
  EXPECT_EQ(x.known, "no");
  EXPECT_EQ(x.confused_with, "unknown");
  EXPECT_EQ(x.confused, 2);
  EXPECT_FALSE(x.precision);
  EXPECT_DOUBLE_EQ(x.called_novel.value(), 2 / 3.);
  EXPECT_FALSE(all.at("unknown").recall);
}

TEST(PerClass, adds_up_over_the_increments) {
  const ToyRecord record({toy_phase({1, "pre", "test"}, {"A"}, {"unknown", "A"}, 0),
                          toy_phase({2, "pre", "test"}, {"A", "X"}, {"X", "A", "X"}, 2)},
                         toy_truth({"X", "A", "X", "X", "A"}));
  for (const ClassRow& row : per_class(view_series(record, {}).front())) {
    if (row.step == kAllSteps && row.name == "X") {
      EXPECT_EQ(row.known, "both");
      EXPECT_EQ(row.support, 3);
      EXPECT_EQ(row.predicted, 2);
      EXPECT_DOUBLE_EQ(row.recall.value(), 1 / 3.);
      EXPECT_EQ(row.confused_with, "A");  // A once, unknown once
    }
  }
}

TEST(Paired, equals_do_not_differ) {
  const auto record = table_of(drawn_table(2, 80, 0.3));
  const auto pairs = pair_series(*record, *record, {}, false);
  const BootstrapOptions options{.replicates = 60};
  Progress silent;
  for (const PairedRow& row : measure_differences(pairs, measure_columns({}), &options, silent)) {
    if (row.difference) {
      EXPECT_EQ(*row.difference, 0.0);
      if (row.interval.low) {
        EXPECT_EQ(row.interval.low, 0.0);
        EXPECT_EQ(row.interval.high, 0.0);
        EXPECT_EQ(row.p, 1.0);
      }
    }
  }
}

TEST(Paired, matches_samples_by_name_whatever_their_order) {
  const auto first = table_of("id,label,predicted\na,A,A\nb,A,B\nc,B,B\nd,B,A\n");
  const auto second = table_of("id,label,predicted\nd,B,B\nc,B,B\nb,A,B\na,A,A\n");
  const BootstrapOptions options{.replicates = 400};
  Progress silent;
  const auto rows = measure_differences(pair_series(*first, *second, {}, false),
                                        measure_columns({"accuracy"}), &options, silent);
  const PairedRow& row = rows.front();  // the second has d right besides
  EXPECT_EQ(row.first.value, 0.5);
  EXPECT_EQ(row.second, 0.75);
  EXPECT_EQ(row.difference, 0.25);
  // Each resample differs by (times d was drawn) / 4: never below 0.
  EXPECT_EQ(row.below, 0.0);
  EXPECT_NEAR(row.above.value(), 1 - std::pow(0.75, 4), 0.08);
  EXPECT_GE(row.interval.low.value(), 0.0);
  EXPECT_NEAR(row.p.value(), 2 * std::pow(0.75, 4), 0.16);
}

TEST(Paired, is_narrower_than_two_intervals_where_both_fail_alike) {
  std::string first = "id,label,predicted\n";
  std::string second = first;
  for (int i = 0; i < 200; ++i) {
    const bool hard = i % 3 == 0;
    first += std::to_string(i) + ",A," + (hard ? "B" : "A") + "\n";
    second += std::to_string(i) + ",A," + (hard && i != 0 && i != 3 ? "B" : "A") + "\n";
  }
  const auto a = table_of(first);
  const auto b = table_of(second);
  const BootstrapOptions options{.replicates = 400};
  Progress silent;
  const auto rows = measure_differences(pair_series(*a, *b, {}, false),
                                        measure_columns({"accuracy"}), &options, silent);
  const MeasureRow alone = accuracy_row(*a, options);
  EXPECT_LT(*rows[0].interval.high - *rows[0].interval.low, 0.4 * (*alone.high - *alone.low));
}

TEST(Paired, refuses_other_samples_unless_told_to_take_the_shared_ones) {
  const auto first = table_of("id,label,predicted\na,A,A\nb,A,B\nc,B,B\n");
  const auto second = table_of("id,label,predicted\nb,A,A\nc,B,B\nd,B,B\ne,B,B\n");
  try {
    static_cast<void>(pair_series(*first, *second, {}, false));
    FAIL();
  } catch (const DifferentSamples& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("3 in the first, 4 in the second, 2 shared"));
  }
  Progress silent;
  const auto rows = measure_differences(pair_series(*first, *second, {}, true),
                                        measure_columns({"accuracy"}), nullptr, silent);
  EXPECT_EQ(rows[0].first.value, 0.5);
  EXPECT_EQ(rows[0].second, 1.0);
  EXPECT_FALSE(rows[0].interval.low);
  const auto other_class = table_of("id,label,predicted\na,A,A\nb,B,B\nc,B,B\n");
  EXPECT_THROW(static_cast<void>(pair_series(*first, *other_class, {}, true)), Error);
  const auto strangers = table_of("id,label,predicted\nx,A,A\n");
  EXPECT_THROW(static_cast<void>(pair_series(*first, *strangers, {}, true)), Error);
  const auto later = table_of("id,label,predicted,increment\na,A,A,1\nb,A,B,1\nc,B,B,1\n");
  EXPECT_THROW(static_cast<void>(pair_series(*first, *later, {}, false)), Error);
}

TEST(Paired, parts_both_sides_by_the_groups_of_the_first) {
  const auto first =
      table_of("id,label,predicted,light\na,A,A,day\nb,A,B,night\nc,B,B,night\n", {"light"});
  const auto second = table_of("id,label,predicted\nc,B,A\nb,A,A\na,A,A\n");
  const auto pairs = pair_series(*first, *second, {}, false);
  const Groups groups = make_groups(*first->truth(), annotation_values(*first->truth(), "light"),
                                    std::vector<std::uint8_t>(3, 1), "light");
  const BootstrapOptions options{.replicates = 50};
  Progress silent;
  const auto rows =
      measure_differences(by_group(pairs, groups), measure_columns({"accuracy"}), &options, silent);
  EXPECT_EQ(rows[0].first.group, "day");
  EXPECT_EQ(rows[0].second, 1.0);
  const auto night = std::find_if(rows.begin(), rows.end(),
                                  [](const PairedRow& row) { return row.first.group == "night"; });
  EXPECT_EQ(night->first.value, 0.5);
  EXPECT_EQ(night->second, 0.5);
  EXPECT_EQ(night->interval.low, -1.0);  // c alone drawn
  EXPECT_EQ(night->interval.high, 1.0);  // b alone drawn
}

}  // namespace
}  // namespace tyto
