// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <set>

#include "support/calibration_set.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/calibration/temperature_fit.hpp"
#include "tyto/measure/calibration/by_class.hpp"
#include "tyto/measure/calibration/confidence.hpp"

namespace tyto {
namespace {

using testing_support::calibration_sets;
using testing_support::CalibrationData;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::optional<double> value_named(const NamedValues& values, std::string_view name) {
  for (const auto& [key, value] : values) {
    if (key == name) {
      return value;
    }
  }
  ADD_FAILURE() << "no measure " << name;
  return std::nullopt;
}

// Every number of a block of expected.json, whichever of our functions gives it.
void expect_block(const nlohmann::json& block, const Dense<double>& logits,
                  const std::vector<Index>& truth, double tolerance) {
  const ScoredSamples samples = score_samples(logits, truth);
  NamedValues values = confidence_measures(samples, {});
  const ColumnErrors columns = column_errors(logits, truth, 15);
  values.emplace_back("classwise_ece15", columns.classwise_ece);
  values.emplace_back("nixon_ace15", columns.nixon_ace);
  std::set<std::string> seen;
  for (const auto& [name, value] : values) {
    if (block.contains(name)) {
      ASSERT_TRUE(value.has_value()) << name;
      EXPECT_NEAR(*value, block[name].get<double>(), tolerance) << name;
      seen.insert(name);
    }
  }
  for (const auto& [name, value] : block.items()) {
    EXPECT_TRUE(seen.contains(name)) << "nobody measures " << name;
  }
}

ScoredSamples given_confidences(const std::vector<double>& confidence,
                                const std::vector<int>& correct) {
  ScoredSamples out;
  out.confidence = confidence;
  for (const int one : correct) {
    out.correct.push_back(static_cast<std::uint8_t>(one));
    out.predicted.push_back(0);
    out.truth.push_back(one == 1 ? 0 : 1);
    out.loss.push_back(0.0);
    out.brier.push_back(0.0);
    out.log_sum.push_back(0.0);
  }
  return out;
}

TEST(CalibrationMeasures, agree_with_the_check_set_before_and_after_the_temperature) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const auto& expected = data.expected;
    expect_block(expected["raw_all"], data.logits, data.truth, 1e-9);
    expect_block(expected["raw_val"], data.val(), data.val_truth(), 1e-9);
    expect_block(expected["raw_test"], data.test(), data.test_truth(), 1e-9);
    const double t = fit_temperature<double>(data.val(), data.val_truth()).temperature;
    expect_block(expected["ts_fit_val_eval_val"], data.val() / t, data.val_truth(), 1e-9);
    expect_block(expected["ts_fit_val_eval_test"], data.test() / t, data.test_truth(), 1e-9);
    const double t_all = fit_temperature<double>(data.logits, data.truth).temperature;
    expect_block(expected["ts_fit_all_eval_all"], data.logits / t_all, data.truth, 1e-9);
  }
}

TEST(CalibrationMeasures, agree_on_common_and_rare_classes) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    std::vector<Index> counts(static_cast<std::size_t>(data.classes()));
    for (const Index label : data.truth) {
      ++counts[static_cast<std::size_t>(label)];
    }
    const FrequencySplit split = split_by_frequency(counts);
    const auto& expected = data.expected;
    EXPECT_EQ(split.order, expected["split"]["order_by_frequency"].get<std::vector<Index>>());
    EXPECT_EQ(split.common, expected["split"]["common"].get<std::vector<Index>>());
    EXPECT_EQ(split.rare, expected["split"]["rare"].get<std::vector<Index>>());
    const double t = fit_temperature<double>(data.val(), data.val_truth()).temperature;
    const auto truth = data.test_truth();
    for (const bool common : {true, false}) {
      const auto rows = rows_of_classes(truth, common ? split.common : split.rare);
      std::vector<Index> own;
      for (const Index row : rows) {
        own.push_back(truth[static_cast<std::size_t>(row)]);
      }
      const std::string word = common ? "common" : "rare";
      const Dense<double> logits = data.test()(rows, Eigen::all);
      expect_block(expected["raw_test_" + word], logits, own, 1e-9);
      expect_block(expected["ts_test_" + word], logits / t, own, 1e-9);
    }
  }
}

TEST(CalibrationMeasures, agree_class_by_class_and_bin_by_bin) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const double t = fit_temperature<double>(data.val(), data.val_truth()).temperature;
    for (const std::string kind : {"raw", "ts"}) {
      const auto rows = class_reliability(
          score_samples(data.test() / (kind == "raw" ? 1.0 : t), data.test_truth()), 10);
      const auto& block = data.expected["per_true_class_test_" + kind];
      ASSERT_EQ(rows.size(), block.size());
      for (std::size_t k = 0; k < rows.size(); ++k) {
        EXPECT_EQ(rows[k].column, block[k]["cls"].get<Index>());
        EXPECT_EQ(rows[k].count, block[k]["n"].get<Index>());
        EXPECT_NEAR(rows[k].recall, block[k]["recall"].get<double>(), 1e-9);
        EXPECT_NEAR(rows[k].mean_confidence, block[k]["mean_conf"].get<double>(), 1e-9);
        EXPECT_NEAR(rows[k].delta, block[k]["delta_acc"].get<double>(), 1e-9);
        EXPECT_NEAR(rows[k].ece, block[k]["ece10"].get<double>(), 1e-9);
        EXPECT_GE(rows[k].ece, std::abs(rows[k].delta) - 1e-12);
      }
    }
    const ScoredSamples all = score_samples(data.logits, data.truth);
    for (const Index bins : {10, 15}) {
      const auto& rows = data.expected["reliability_raw_all_" + std::to_string(bins)];
      const ReliabilityBins binned = confidence_bins(all, bins);
      for (std::size_t b = 0; b < rows.size(); ++b) {
        const ReliabilityBin& bin = binned.bins()[b];
        ASSERT_EQ(bin.count, rows[b]["count"].get<Index>());
        EXPECT_NEAR(binned.edge(static_cast<Index>(b)), rows[b]["lower"].get<double>(), 1e-9);
        if (bin.count > 0) {
          const auto count = static_cast<double>(bin.count);
          EXPECT_NEAR(bin.confidence / count, rows[b]["mean_conf"].get<double>(), 1e-9);
          EXPECT_NEAR(bin.correct / count, rows[b]["accuracy"].get<double>(), 1e-9);
        }
      }
    }
  }
}

TEST(CalibrationMeasures, agree_at_the_edges_by_every_rule) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const std::pair<std::string, BinRule> rules[] = {
        {"right_closed_edges_i_over_B", BinRule::right_closed},
        {"left_closed_edges_i_over_B", BinRule::left_closed},
        {"right_closed_numpy_linspace_edges", BinRule::right_closed_linspace},
        {"left_closed_numpy_linspace_edges", BinRule::left_closed_linspace},
        {"left_closed_extra_bin_for_1.0", BinRule::extra_for_one}};
    const auto& cases = data.edge_cases;
    ASSERT_EQ(cases.size(), 5U);
    for (const auto& one : cases) {
      SCOPED_TRACE(one["name"].get<std::string>());
      const auto samples = given_confidences(one["conf"].get<std::vector<double>>(),
                                             one["correct"].get<std::vector<int>>());
      const auto bins = one["bins"].get<Index>();
      for (const auto& [name, rule] : rules) {
        SCOPED_TRACE(name);
        const ReliabilityBins binned = confidence_bins(samples, bins, rule);
        const auto& expected = one["expected"][name];
        EXPECT_NEAR(expected_gap(binned.bins()), expected["ece"].get<double>(), 1e-12);
        EXPECT_NEAR(greatest_gap(binned.bins()), expected["mce"].get<double>(), 1e-12);
        EXPECT_NEAR(mean_gap(binned.bins()), expected["ace"].get<double>(), 1e-12);
        EXPECT_NEAR(rms_gap(binned.bins()), expected["rmsce"].get<double>(), 1e-12);
      }
      for (const std::string side : {"right", "left"}) {
        const ReliabilityBins empty(bins,
                                    side == "right" ? BinRule::right_closed : BinRule::left_closed);
        for (std::size_t i = 0; i < samples.confidence.size(); ++i) {
          EXPECT_EQ(empty.index_of(samples.confidence[i]),
                    one["bin_index_" + side][i].get<Index>());
        }
      }
    }
  }
}

TEST(CalibrationMeasures, follow_an_example_worked_by_hand) {
  // Confidences 0.55 0.65 0.65 0.95, right 0 1 0 1. Bins of tenths: (0.5, 0.6] gap 0.55; (0.6, 0.7]
  // two with mean 0.65 against 0.5, gap 0.15; (0.9, 1] gap -0.05.
  const auto samples = given_confidences({0.95, 0.65, 0.55, 0.65}, {1, 1, 0, 0});
  const NamedValues values = confidence_measures(samples, {});
  EXPECT_NEAR(*value_named(values, "ece10"), (0.55 + 2 * 0.15 + 0.05) / 4, 1e-12);
  EXPECT_NEAR(*value_named(values, "mce10"), 0.55, 1e-12);
  EXPECT_NEAR(*value_named(values, "ace_nonempty_bins10"), 0.75 / 3, 1e-12);
  // Sums of right - confidence: -0.55, then both ties -0.55 + 0.35 - 0.65 = -0.85, then -0.80.
  EXPECT_NEAR(*value_named(values, "ks_error"), 0.85 / 4, 1e-12);
  // Pairs right against wrong: 0.95 beats both; 0.65 beats 0.55 and ties with 0.65: 3.5 of 4.
  EXPECT_NEAR(*value_named(values, "failure_auroc_maxprob"), 3.5 / 4, 1e-12);
  // From the surest on: right, right, wrong (ties in their order), wrong: risks 0 0 1/3 1/2.
  EXPECT_NEAR(*value_named(values, "aurc"), (1.0 / 3 + 1.0 / 2) / 4, 1e-12);
}

TEST(CalibrationMeasures, of_mean_calibration_error_equal_the_sum_over_all_pairs) {
  Rng rng(3, "mmce");
  ScoredSamples samples = given_confidences({}, {});
  for (int i = 0; i < 40; ++i) {
    samples.append(given_confidences({rng.uniform()}, {rng.below(2) == 0 ? 0 : 1}));
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      sum += (samples.correct[i] - samples.confidence[i]) *
             (samples.correct[j] - samples.confidence[j]) *
             std::exp(-std::abs(samples.confidence[i] - samples.confidence[j]) / 0.4);
    }
  }
  const ScoredSamples sorted = samples.pick(by_confidence(samples));
  EXPECT_NEAR(mmce(sorted, 0.4), std::sqrt(sum) / 40, 1e-12);
}

TEST(CalibrationMeasures, of_parts_add_up_to_those_of_the_whole) {
  Rng rng(4, "parts");
  Dense<double> logits(90, 7);
  std::vector<Index> truth;
  for (Index i = 0; i < 90; ++i) {
    for (Index j = 0; j < 7; ++j) {
      logits(i, j) = 3.0 * rng.normal();
    }
    truth.push_back(rng.below(7));
  }
  const std::span<const Index> all(truth);
  ScoredSamples joined = score_samples(logits.topRows(31), all.first(31));
  joined.append(score_samples(logits.bottomRows(59), all.subspan(31)));
  const auto whole = confidence_measures(score_samples(logits, truth), {});
  const auto parts = confidence_measures(joined, {});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(parts[i], whole[i]);
  }
  ClasswiseBins first(7, 15);
  ClasswiseBins second(7, 15);
  first.add(logits.topRows(31), all.first(31));
  second.add(logits.bottomRows(59), all.subspan(31));
  first.merge(second);
  EXPECT_NEAR(first.ece(), column_errors(logits, truth, 15).classwise_ece, 1e-14);
  ReliabilityBins ten(10);
  EXPECT_THROW(ten.merge(ReliabilityBins(15)), Error);
}

TEST(CalibrationMeasures, of_equal_mass_per_class_equal_those_of_sorted_columns) {
  // From next to nothing to sure; one class is impossible in every second row.
  Rng rng(5, "nixon");
  const Index n = 203;
  Dense<double> logits(n, 5);
  std::vector<Index> truth;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 5; ++j) {
      logits(i, j) = j == 4 && i % 2 == 0 ? -kInf : 8.0 * rng.normal();
    }
    truth.push_back(rng.below(4));
  }
  const Dense<double> p = score_probabilities(logits);
  double sum = 0.0;
  for (Index k = 0; k < 5; ++k) {
    ScoredSamples column;
    for (Index i = 0; i < n; ++i) {
      column.append(
          given_confidences({p(i, k)}, {truth[static_cast<std::size_t>(i)] == k ? 1 : 0}));
    }
    for (const ReliabilityBin& run : equal_runs(column.pick(by_confidence(column)), 15)) {
      sum += std::abs(run.gap()) / 15;
    }
  }
  EXPECT_NEAR(column_errors(logits, truth, 15).nixon_ace, sum / 5, 1e-12);
}

TEST(CalibrationMeasures, have_intervals_around_them_that_hang_on_the_seed_alone) {
  Rng rng(6, "intervals");
  ScoredSamples samples;
  for (int i = 0; i < 300; ++i) {
    const double confidence = 0.5 + 0.5 * rng.uniform();
    samples.append(given_confidences({confidence}, {rng.uniform() < confidence ? 1 : 0}));
  }
  Progress silent;
  const BootstrapOptions bootstrap{.replicates = 200, .seed = 7};
  const auto values = confidence_measures(samples, {});
  const auto a = confidence_intervals(samples, {}, bootstrap, silent);
  const auto b = confidence_intervals(samples, {}, bootstrap, silent);
  ASSERT_EQ(a.size(), values.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].low, b[i].low);
    if (values[i].first == "accuracy" || values[i].first == "mean_confidence") {
      EXPECT_LT(*a[i].low, *values[i].second);
      EXPECT_GT(*a[i].high, *values[i].second);
    }
  }
}

TEST(CalibrationHardCases, one_class_is_sure_and_right) {
  const Dense<double> logits = Dense<double>::Constant(3, 1, 2.0);
  const std::vector<Index> truth(3, 0);
  const auto values = confidence_measures(score_samples(logits, truth), {});
  EXPECT_EQ(value_named(values, "ece10"), 0.0);
  EXPECT_EQ(value_named(values, "nll"), 0.0);
  EXPECT_EQ(value_named(values, "failure_auroc_maxprob"), std::nullopt);
  EXPECT_EQ(column_errors(logits, truth, 15).classwise_ece, 0.0);
}

TEST(CalibrationHardCases, huge_and_impossible_scores_have_values) {
  Dense<double> logits(3, 3);
  logits << 1e4, -1e4, 0, -kInf, 1, 1, 0, -kInf, -kInf;
  const std::vector<Index> truth{0, 1, 0};
  const auto samples = score_samples(logits, truth);
  EXPECT_NEAR(samples.confidence[0], 1.0, 1e-15);
  EXPECT_NEAR(samples.confidence[1], 0.5, 1e-15);
  EXPECT_NEAR(samples.loss[1], std::log(2.0), 1e-15);
  EXPECT_EQ(samples.predicted[1], 1);
  EXPECT_NEAR(samples.brier[1], 0.5, 1e-15);
  const auto wrong = score_samples(logits, std::vector<Index>{2, 0, 0});
  EXPECT_NEAR(wrong.loss[0], 1e4, 1e-9);
  EXPECT_EQ(wrong.loss[1], kInf);
  EXPECT_NEAR(wrong.brier[1], 1.5, 1e-15);
  EXPECT_EQ(value_named(confidence_measures(wrong, {}), "nll"), kInf);
}

TEST(CalibrationHardCases, what_is_no_score_or_no_column_is_named) {
  Dense<double> logits = Dense<double>::Zero(2, 3);
  const auto complaint = [&](const std::vector<Index>& truth) {
    try {
      (void)score_samples(logits, truth);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint({0, 2}), "");
  EXPECT_THAT(complaint({0, 3}), testing::HasSubstr("row 2 (from 1): the label 3 is no column"));
  EXPECT_THAT(complaint({-1, 0}), testing::HasSubstr("the label -1"));
  EXPECT_THAT(complaint({0}), testing::HasSubstr("1 labels for 2 rows"));
  logits(1, 2) = kNan;
  EXPECT_THAT(complaint({0, 0}), testing::HasSubstr("row 2, column 3 (from 1): nan"));
  logits(1, 2) = kInf;
  EXPECT_THAT(complaint({0, 0}), testing::HasSubstr("row 2, column 3 (from 1): inf"));
  logits.row(1).setConstant(-kInf);
  EXPECT_THAT(complaint({0, 0}), testing::HasSubstr("row 2 (from 1): every class"));
}

TEST(CalibrationHardCases, nothing_and_fewer_samples_than_bins_have_an_answer) {
  const auto none = confidence_measures(ScoredSamples(), {});
  EXPECT_EQ(value_named(none, "n"), 0.0);
  EXPECT_EQ(value_named(none, "ece10"), std::nullopt);
  // Two samples, 15 runs: each its own run, |0.6 - 1| and |0.8 - 0|.
  const auto two = confidence_measures(given_confidences({0.6, 0.8}, {1, 0}), {});
  EXPECT_NEAR(*value_named(two, "adaptive_ece15_array_split"), 0.6, 1e-12);
  EXPECT_EQ(value_named(two, "debiased_l2_equal_mass15"), 0.0);
}

TEST(CalibrationHardCases, duplicated_rows_leave_every_mean_as_it_was) {
  const auto once = given_confidences({0.55, 0.72, 0.91}, {0, 1, 1});
  ScoredSamples twice = once;
  twice.append(once);
  const auto a = confidence_measures(once, {});
  const auto b = confidence_measures(twice, {});
  for (const std::string_view name : {"accuracy", "ece10", "mce10", "rmsce10", "ks_error"}) {
    EXPECT_NEAR(*value_named(a, name), *value_named(b, name), 1e-14) << name;
  }
}

}  // namespace
}  // namespace tyto
