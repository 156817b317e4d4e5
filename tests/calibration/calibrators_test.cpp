// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "support/calibration_set.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/calibration/score_calibrator.hpp"
#include "tyto/calibration/temperature_fit.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing_support::calibration_sets;
using testing_support::CalibrationData;
using testing_support::json_table;

constexpr double kMinusInf = -std::numeric_limits<double>::infinity();

std::unique_ptr<ScoreCalibrator> calibrator(std::string_view name, std::string_view yaml = "{}") {
  return find_calibrator(name).make(parse_yaml(yaml, "test.yaml"), name);
}

void fit_on(ScoreCalibrator& calibrator, const Scores& logits, const std::vector<Index>& truth,
            const Dense<double>* features = nullptr) {
  Progress silent;
  Work work{Rng(1, "calibrate"), silent};
  calibrator.fit({logits, truth, features}, work);
}

double loss_of(const Dense<double>& logits, const std::vector<Index>& truth) {
  const Dense<double> logs = score_log_probabilities(logits);
  double sum = 0.0;
  for (Index i = 0; i < logs.rows(); ++i) {
    sum -= logs(i, truth[static_cast<std::size_t>(i)]);
  }
  return sum / static_cast<double>(logs.rows());
}

double accuracy_of(const Dense<double>& logits, const std::vector<Index>& truth) {
  double right = 0.0;
  for (Index i = 0; i < logits.rows(); ++i) {
    right += best_column(logits, i) == truth[static_cast<std::size_t>(i)] ? 1.0 : 0.0;
  }
  return right / static_cast<double>(logits.rows());
}

// Over-confident scores of five classes: noise of two sizes that a feature tells apart.
struct NoisyScores {
  Dense<double> logits, features;
  std::vector<Index> truth;

  explicit NoisyScores(Index n, std::uint64_t seed, Index classes = 5, double factor = 4.0) {
    Rng rng(seed, "noisy");
    logits.resize(n, classes);
    features.resize(n, 3);
    for (Index i = 0; i < n; ++i) {
      truth.push_back(rng.below(classes));
      const double noise = i % 2 == 0 ? 0.5 : 1.5;
      for (Index k = 0; k < classes; ++k) {
        logits(i, k) = factor * ((k == truth.back() ? 1.0 : 0.0) + noise * rng.normal());
      }
      features.row(i) << noise, rng.normal(), 7.0;
    }
  }
};

TEST(Temperature, is_the_exact_optimum_of_the_check_set) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const auto& exact = data.expected["temperature_exact"];
    const auto near = [](const TemperatureFit& fit, double expected) {
      EXPECT_NEAR(fit.temperature, expected, 1e-9);
      EXPECT_LT(std::abs(fit.slope), 1e-11);
      EXPECT_LE(fit.low, 1.0 / fit.temperature);
      EXPECT_GE(fit.high, 1.0 / fit.temperature);
      EXPECT_LT(fit.passes, 10);
    };
    near(fit_temperature<double>(data.logits, data.truth), exact["all"]);
    near(fit_temperature<double>(data.val(), data.val_truth()), exact["val"]);
    near(fit_temperature<double>(data.test(), data.test_truth()), exact["test"]);
  }
}

TEST(Temperature, by_published_descent_ends_where_the_check_set_says_short_of_the_optimum) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const auto& ends = data.expected["temperature_gradient_descent_full_batch_val"];
    EXPECT_NEAR(descend_temperature(data.val(), data.val_truth(), 50, 0.01).back(),
                ends["init1.0_lr0.01_steps50"].get<double>(), 1e-9);
    EXPECT_NEAR(descend_temperature(data.val(), data.val_truth(), 1000, 0.1).back(),
                ends["init1.0_lr0.1_steps1000"].get<double>(), 1e-9);
    const auto published =
        find_calibrator("temperature").make(parse_yaml("{form: descent}", "test"), "calibrator");
    Progress quiet;
    Work work{Rng(1), quiet};
    published->fit({data.val(), data.val_truth()}, work);
    EXPECT_NEAR(number_parameter(published->parameters(), "temperature"),
                ends["init1.0_lr0.01_steps50"].get<double>(), 1e-9);
  }
}

TEST(Temperature, of_scores_in_single_precision_is_the_same_to_six_digits) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const Matrix single = data.val().cast<float>();
    EXPECT_NEAR(fit_temperature<float>(single, data.val_truth()).temperature,
                data.expected["temperature_exact"]["val"].get<double>(), 1e-6);
  }
}

TEST(Temperature, solves_a_case_worked_by_hand) {
  // Scores 1 and 0, right three times of four: softmax(1 / T) = 3/4 at 1/T = log 3. Sixteen times
  // as much and 1e6 lower, the same shape.
  for (const double factor : {1.0, 16.0, 1e-6, 1e6}) {
    Dense<double> scores(4, 2);
    scores << 1, 0, 1, 0, 1, 0, 1, 0;
    const auto fit = fit_temperature<double>(scores * factor, std::vector<Index>{0, 0, 0, 1});
    EXPECT_EQ(fit.kind, TemperatureKind::optimum);
    EXPECT_NEAR(fit.temperature / factor, 1.0 / std::log(3.0), 1e-10);
  }
}

TEST(Temperature, without_a_finite_optimum_says_why_and_stays_usable) {
  Dense<double> scores(3, 2);
  scores << 2, 0, 0, 1, 3, 1;
  const auto right = fit_temperature<double>(scores, std::vector<Index>{0, 1, 0});
  EXPECT_EQ(right.kind, TemperatureKind::all_right);
  EXPECT_GT(right.temperature, 0.05);
  EXPECT_LT(right.temperature, 1.0);
  const auto wrong = fit_temperature<double>(scores, std::vector<Index>{1, 0, 1});
  EXPECT_EQ(wrong.kind, TemperatureKind::worse_than_even);
  EXPECT_GT(wrong.temperature, 1e5);
  const auto flat =
      fit_temperature<double>(Dense<double>::Constant(3, 4, 2.5), std::vector<Index>{0, 1, 2});
  EXPECT_EQ(flat.kind, TemperatureKind::flat);
  EXPECT_EQ(flat.temperature, 1.0);
  const auto one = fit_temperature<double>(Dense<double>::Ones(3, 1), std::vector<Index>(3, 0));
  EXPECT_EQ(one.temperature, 1.0);
}

TEST(Temperature, ignores_impossible_classes) {
  // The third class is impossible where it is -inf: as if the row had two columns.
  Dense<double> scores(4, 3);
  scores << 1, 0, kMinusInf, 1, 0, kMinusInf, 1, kMinusInf, 0, 1, 0, kMinusInf;
  EXPECT_NEAR(fit_temperature<double>(scores, std::vector<Index>{0, 0, 0, 1}).temperature,
              1.0 / std::log(3.0), 1e-10);
  EXPECT_THROW(fit_temperature<double>(scores, std::vector<Index>{2, 0, 0, 1}), Error);
}

TEST(Temperature, of_many_rows_is_led_by_some_of_them_to_the_same_end) {
  // 2^20 scores and more: a part of the rows leads the way. Rows repeated have the same optimum.
  const NoisyScores some(3000, 9, 20);
  Dense<double> many(3000 * 18, 20);
  std::vector<Index> truth;
  for (Index i = 0; i < many.rows(); ++i) {
    many.row(i) = some.logits.row(i % 3000);
    truth.push_back(some.truth[static_cast<std::size_t>(i % 3000)]);
  }
  const auto fit = fit_temperature<double>(many, truth);
  EXPECT_NEAR(fit.temperature, fit_temperature<double>(some.logits, some.truth).temperature, 1e-9);
  EXPECT_LT(fit.passes, 8);
}

TEST(VectorScaling, finds_the_factors_and_shifts_of_the_check_set) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const auto& expected = data.expected["vector_scaling_val"];
    auto vector = calibrator("vector");
    fit_on(*vector, data.val(), data.val_truth());
    const Parameters found = vector->parameters();
    for (Index k = 0; k < data.classes(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      EXPECT_NEAR(found.at("weight")(0, k), expected["w"][at].get<double>(), 1e-5);
      EXPECT_NEAR(found.at("bias")(0, k), expected["b_zero_mean"][at].get<double>(), 1e-5);
    }
    const Dense<double> test = vector->apply(data.test());
    EXPECT_NEAR(loss_of(test, data.test_truth()), expected["test"]["nll"].get<double>(), 1e-6);
    EXPECT_NEAR(accuracy_of(test, data.test_truth()), expected["test"]["accuracy"].get<double>(),
                1e-12);
  }
}

TEST(StructuredVectorScaling, finds_the_factors_and_shifts_of_the_check_set) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const auto& expected = data.expected["structured_vector_scaling_val"];
    auto vector = calibrator("structured_vector", "{form: published}");
    fit_on(*vector, data.val(), data.val_truth());
    const Parameters found = vector->parameters();
    for (Index k = 0; k < data.classes(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      EXPECT_NEAR(found.at("weight")(0, k), expected["w"][at].get<double>(), 1e-5);
      EXPECT_NEAR(found.at("bias")(0, k), expected["b"][at].get<double>(), 1e-5);
    }
    EXPECT_NEAR(found.at("objective")(0, 0), expected["objective"].get<double>(), 1e-9);
    EXPECT_NEAR(loss_of(vector->apply(data.test()), data.test_truth()),
                expected["test"]["nll"].get<double>(), 1e-6);
  }
}

TEST(OdirScaling, finds_the_matrices_of_the_check_set) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    for (const std::string name : {"matrix", "dirichlet"}) {
      SCOPED_TRACE(name);
      const std::string key = name == "matrix" ? "matrix_scaling_odir" : "dirichlet_odir";
      const auto& expected = data.expected[key + "_val"];
      const Dense<double> wb = json_table(data.tables[key + "_Wb"]);
      auto full = calibrator(name);
      fit_on(*full, data.val(), data.val_truth());
      const Parameters found = full->parameters();
      EXPECT_NEAR(found.at("objective")(0, 0), expected["objective"].get<double>(), 1e-6);
      EXPECT_LT((found.at("weight") - wb.leftCols(data.classes())).cwiseAbs().maxCoeff(), 1e-3);
      EXPECT_LT((found.at("bias").transpose() - wb.col(data.classes())).cwiseAbs().maxCoeff(),
                1e-3);
      EXPECT_NEAR(loss_of(full->apply(data.test()), data.test_truth()),
                  expected["test"]["nll"].get<double>(), 1e-4);
    }
  }
}

// Class 0 against the rest as two scores: their log odds are those of the class.
Dense<double> two_columns(const Dense<double>& logits) {
  Dense<double> out(logits.rows(), 2);
  out.col(0) = logits.col(0);
  out.col(1) = row_log_sums(logits.rightCols(logits.cols() - 1));
  return out;
}

TEST(BinaryMaps, find_the_curves_of_the_check_set) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const auto& expected = data.expected["binary_class0_val"];
    const Dense<double> scores = two_columns(data.val());
    std::vector<Index> truth;
    for (const Index label : data.val_truth()) {
      truth.push_back(label == 0 ? 0 : 1);
    }
    auto plain = calibrator("platt", "{smoothed: false}");
    fit_on(*plain, scores, truth);
    EXPECT_NEAR(plain->parameters().at("a")(0, 0), expected["platt_mle"]["a"].get<double>(), 1e-5);
    EXPECT_NEAR(plain->parameters().at("b")(0, 0), expected["platt_mle"]["b"].get<double>(), 1e-5);
    EXPECT_NEAR(plain->parameters().at("loss")(0, 0), expected["platt_mle"]["nll"].get<double>(),
                1e-9);
    auto smoothed = calibrator("platt");
    fit_on(*smoothed, scores, truth);
    const auto& platt = expected["platt_smoothed_targets"];
    EXPECT_NEAR(smoothed->parameters().at("a")(0, 0), platt["a"].get<double>(), 1e-5);
    EXPECT_NEAR(smoothed->parameters().at("b")(0, 0), platt["b"].get<double>(), 1e-5);
    auto beta = calibrator("beta");
    fit_on(*beta, scores, truth);
    const auto& abc = expected["beta_abm_unconstrained"];
    EXPECT_NEAR(beta->parameters().at("a")(0, 0), abc["a"].get<double>(), 1e-5);
    EXPECT_NEAR(beta->parameters().at("b")(0, 0), abc["b"].get<double>(), 1e-5);
    EXPECT_NEAR(beta->parameters().at("c")(0, 0), abc["c"].get<double>(), 1e-5);
  }
}

// What a map of the top label makes of a confidence, asked by two scores of those odds. The floor
// that keeps the prediction is 1/2 there; below it the others of many classes are asked instead.
double mapped(const ScoreCalibrator& map, double asked) {
  constexpr Index kMany = 4000;
  const double confidence = asked * (1.0 - 1e-12);  // rounding must not carry it past an edge
  Dense<double> row = Dense<double>::Zero(1, kMany);
  row(0, 0) = std::log(confidence) - std::log1p(-confidence) + std::log(kMany - 1.0);
  return score_probabilities(map.apply(row))(0, 0);
}

TEST(TopLabelMaps, find_the_steps_of_the_check_set) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const auto& expected = data.expected["top_label_val"];
    const auto grid = expected["grid"].get<std::vector<double>>();
    auto isotonic = calibrator("isotonic", "{clip: false}");
    fit_on(*isotonic, data.val(), data.val_truth());
    const Parameters blocks = isotonic->parameters();
    ASSERT_EQ(blocks.at("x").cols(), std::ssize(expected["isotonic_thresholds_x"]));
    for (Index i = 0; i < blocks.at("x").cols(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_NEAR(blocks.at("x")(0, i), expected["isotonic_thresholds_x"][at].get<double>(), 1e-9);
      EXPECT_NEAR(blocks.at("y")(0, i), expected["isotonic_thresholds_y"][at].get<double>(), 1e-9);
    }
    for (std::size_t g = 0; g + 1 < grid.size(); ++g) {
      const double wanted = expected["isotonic_at_grid"][g];
      if (wanted > 0.001) {  // values of 0 are below the floor
        EXPECT_NEAR(mapped(*isotonic, grid[g]), wanted, 1e-9);
      }
    }
    auto histogram = calibrator("histogram", "{clip: false}");
    fit_on(*histogram, data.val(), data.val_truth());
    for (Index b = 0; b < 10; ++b) {
      EXPECT_NEAR(histogram->parameters().at("value")(0, b),
                  expected["histogram10_equal_width"][static_cast<std::size_t>(b)].get<double>(),
                  1e-9);
    }
    auto equal = calibrator("histogram", "{clip: false, equal_mass: true, bins: 15}");
    fit_on(*equal, data.val(), data.val_truth());
    for (Index b = 0; b < 15; ++b) {
      const auto at = static_cast<std::size_t>(b);
      EXPECT_NEAR(equal->parameters().at("upper")(0, b),
                  expected["histogram15_equal_mass_upper_edges"][at].get<double>(), 1e-9);
      EXPECT_NEAR(equal->parameters().at("value")(0, b),
                  expected["histogram15_equal_mass_values"][at].get<double>(), 1e-9);
    }
    if (!data.expected.contains("bbq_bic_all_models_val")) {
      continue;
    }
    auto bbq = calibrator("bbq", "{score: bic, fewest: 1, most: 100}");
    fit_on(*bbq, data.val(), data.val_truth());
    const auto& models = data.expected["bbq_bic_all_models_val"];
    for (std::size_t g = 0; g + 1 < grid.size(); ++g) {
      EXPECT_NEAR(mapped(*bbq, grid[g]), models["at_grid"][g].get<double>(), 1e-9);
    }
  }
}

TEST(Isotonic, pools_what_falls_as_worked_by_hand) {
  // Confidences 0.6 0.7 0.8 0.9 with right 0 1 0 1: 0.7 and 0.8 pool to 1/2.
  Dense<double> logits = Dense<double>::Zero(4, 2);
  const std::vector<double> confidence{0.6, 0.7, 0.8, 0.9};
  for (Index i = 0; i < 4; ++i) {
    const double p = confidence[static_cast<std::size_t>(i)];
    logits(i, 0) = std::log(p / (1.0 - p));
  }
  auto isotonic = calibrator("isotonic", "{clip: false}");
  fit_on(*isotonic, logits, {1, 0, 1, 0});
  const Parameters blocks = isotonic->parameters();
  ASSERT_EQ(blocks.at("y").cols(), 4);
  EXPECT_EQ(blocks.at("y")(0, 0), 0.0);
  EXPECT_EQ(blocks.at("y")(0, 1), 0.5);
  EXPECT_EQ(blocks.at("y")(0, 2), 0.5);
  EXPECT_EQ(blocks.at("y")(0, 3), 1.0);
  EXPECT_NEAR(mapped(*isotonic, 0.85), 0.75, 1e-9);  // half way between the ends of blocks
}

std::string calibrator_name(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}

class EveryCalibrator : public testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<ScoreCalibrator> make() { return calibrator(GetParam()); }
};

TEST_P(EveryCalibrator, lowers_the_loss_of_samples_it_never_saw) {
  const NoisyScores known(1500, 1);
  const NoisyScores fresh(1500, 2);
  auto method = make();
  fit_on(*method, known.logits, known.truth, &known.features);
  const Dense<double> after = method->apply(fresh.logits, &fresh.features);
  EXPECT_LT(loss_of(after, fresh.truth), 0.8 * loss_of(fresh.logits, fresh.truth));
  EXPECT_NEAR(accuracy_of(after, fresh.truth), accuracy_of(fresh.logits, fresh.truth), 0.03);
}

TEST_P(EveryCalibrator, keeps_the_predicted_class_where_it_says_so) {
  const NoisyScores known(800, 3);
  NoisyScores fresh(800, 4);
  fresh.logits.row(0).setConstant(2.0);  // a tie stays with the first
  auto method = make();
  fit_on(*method, known.logits, known.truth, &known.features);
  if (GetParam() == "temperature" || GetParam() == "caring") {
    ASSERT_TRUE(method->keeps_order());
  }
  if (!method->keeps_order()) {
    return;
  }
  const Dense<double> after = method->apply(fresh.logits, &fresh.features);
  for (Index i = 0; i < after.rows(); ++i) {
    EXPECT_EQ(best_column(after, i), best_column(fresh.logits, i)) << i;
  }
}

TEST_P(EveryCalibrator, is_the_same_after_it_was_saved_and_loaded) {
  const NoisyScores known(300, 5);
  auto method = make();
  fit_on(*method, known.logits, known.truth, &known.features);
  State state;
  method->save(state);
  auto again = make();
  again->load(from_archive(to_archive(state), "test"));
  EXPECT_EQ(again->apply(known.logits, &known.features),
            method->apply(known.logits, &known.features));
  State twice;
  again->save(twice);
  EXPECT_EQ(to_archive(twice), to_archive(state));
}

TEST_P(EveryCalibrator, gives_one_answer_to_equal_rows_and_in_any_batch) {
  const NoisyScores known(400, 6);
  auto method = make();
  fit_on(*method, known.logits, known.truth, &known.features);
  const Dense<double> all = method->apply(known.logits, &known.features);
  const Dense<double> one_row = known.features.row(17);
  const Dense<double> one = method->apply(known.logits.row(17), &one_row);
  EXPECT_LT((one - all.row(17)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST_P(EveryCalibrator, takes_one_class_perfect_answers_and_duplicates) {
  const Dense<double> features = Dense<double>::Ones(6, 2);
  {
    const Dense<double> one = Dense<double>::Constant(6, 1, 3.0);
    auto method = make();
    fit_on(*method, one, std::vector<Index>(6, 0), &features);
    EXPECT_NEAR(score_probabilities(method->apply(one, &features))(2, 0), 1.0, 1e-12);
  }
  NoisyScores perfect(60, 7);
  perfect.logits.setZero();
  for (Index i = 0; i < 60; ++i) {
    perfect.logits(i, perfect.truth[static_cast<std::size_t>(i)]) = 5.0;
  }
  auto method = make();
  fit_on(*method, perfect.logits, perfect.truth, &perfect.features);
  const Dense<double> p = score_probabilities(method->apply(perfect.logits, &perfect.features));
  EXPECT_TRUE(p.allFinite());
  EXPECT_EQ(accuracy_of(p, perfect.truth), 1.0);
  EXPECT_GT(p(0, perfect.truth[0]), 0.8);
  auto lone = make();  // one sample, twice
  Dense<double> twice(2, 3);
  twice << 1, 2, 3, 1, 2, 3;
  const Dense<double> pair = Dense<double>::Ones(2, 2);
  fit_on(*lone, twice, {2, 2}, &pair);
  const Dense<double> q = score_probabilities(lone->apply(twice, &pair));
  EXPECT_TRUE(q.allFinite());
  EXPECT_LT((q.row(0) - q.row(1)).cwiseAbs().maxCoeff(), 1e-14);
}

TEST_P(EveryCalibrator, takes_huge_and_impossible_scores) {
  NoisyScores known(200, 8);
  known.logits.row(3) *= 1e4;
  known.logits.row(5) *= -1e3;
  for (Index i = 20; i < 40; ++i) {
    known.logits(i, (known.truth[static_cast<std::size_t>(i)] + 1) % 5) = kMinusInf;
  }
  auto method = make();
  fit_on(*method, known.logits, known.truth, &known.features);
  const Dense<double> p = score_probabilities(method->apply(known.logits, &known.features));
  ASSERT_TRUE(p.allFinite());
  for (Index i = 0; i < p.rows(); ++i) {
    EXPECT_NEAR(p.row(i).sum(), 1.0, 1e-12);
  }
  for (Index i = 20; i < 40; ++i) {
    EXPECT_EQ(p(i, (known.truth[static_cast<std::size_t>(i)] + 1) % 5), 0.0) << i;
  }
}

TEST_P(EveryCalibrator, leaves_room_for_classes_it_saw_no_sample_of) {
  const NoisyScores drawn(300, 10, 6);
  std::vector<Index> rows;  // none of class 5
  std::vector<Index> truth;
  for (Index i = 0; i < 300; ++i) {
    const Index label = drawn.truth[static_cast<std::size_t>(i)];
    if (label != 5) {
      rows.push_back(i);
      truth.push_back(label);
    }
  }
  const Dense<double> logits = drawn.logits(rows, Eigen::all);
  const Dense<double> features = drawn.features(rows, Eigen::all);
  auto method = make();
  fit_on(*method, logits, truth, &features);
  Dense<double> clear = Dense<double>::Zero(1, 6);
  clear(0, 5) = 60.0;
  const Dense<double> feature = features.topRows(1);
  const Dense<double> after = method->apply(clear, &feature);
  if (GetParam() != "matrix" && GetParam() != "dirichlet") {
    EXPECT_EQ(best_column(after, 0), 5);
  }
}

TEST_P(EveryCalibrator, names_what_it_cannot_take_and_stays_as_it_was) {
  const NoisyScores known(100, 11);
  auto method = make();
  fit_on(*method, known.logits, known.truth, &known.features);
  const Dense<double> before = method->apply(known.logits, &known.features);
  Dense<double> spoiled = known.logits;
  spoiled(7, 2) = std::numeric_limits<double>::quiet_NaN();
  const auto complaint = [&](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_THAT(complaint([&] { fit_on(*method, spoiled, known.truth, &known.features); }),
              testing::HasSubstr("row 8, column 3"));
  EXPECT_THAT(complaint([&] { (void)method->apply(spoiled, &known.features); }),
              testing::HasSubstr("row 8, column 3"));
  std::vector<Index> outside = known.truth;
  outside[4] = 5;
  EXPECT_THAT(complaint([&] { fit_on(*method, known.logits, outside, &known.features); }),
              testing::HasSubstr("row 5 (from 1): the label 5"));
  spoiled = known.logits;
  spoiled(9, known.truth[9]) = kMinusInf;
  EXPECT_THAT(complaint([&] { fit_on(*method, spoiled, known.truth, &known.features); }),
              testing::HasSubstr("row 10 (from 1): the true class"));
  EXPECT_THAT(complaint([&] { fit_on(*method, Dense<double>(0, 3), {}); }),
              testing::HasSubstr("no sample to calibrate on"));
  if (method->by_column()) {
    EXPECT_THAT(complaint([&] { (void)method->apply(known.logits.leftCols(3), &known.features); }),
                testing::HasSubstr("3 columns"));
  }
  EXPECT_EQ(method->apply(known.logits, &known.features), before);
}

std::vector<std::string> all_calibrators() {
  std::vector<std::string> names;
  for (const CalibratorSpec& spec : calibrator_specs()) {
    names.push_back(spec.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(, EveryCalibrator, testing::ValuesIn(all_calibrators()), calibrator_name);

TEST(CalibratorRegistry, has_every_method_and_helps_with_spelling) {
  EXPECT_THAT(
      all_calibrators(),
      testing::ElementsAre("bbq", "beta", "caring", "dirichlet", "histogram", "isotonic", "matrix",
                           "platt", "structured_vector", "temperature", "vector"));
  try {
    (void)find_calibrator("temperatur");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean \"temperature\""));
  }
}

}  // namespace
}  // namespace tyto
