// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/conformal_sets.hpp"

#include <limits>

#include "support/calibration_set.hpp"
#include <gtest/gtest.h>

#include "tyto/calibration/temperature_fit.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing_support::calibration_sets;
using testing_support::CalibrationData;

TEST(ConformalSets, have_thresholds_coverage_and_sizes_of_the_check_set) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const std::span<const double> all(data.uniforms);
    const auto half = static_cast<std::size_t>(data.half());
    const double t = fit_temperature<double>(data.val(), data.val_truth()).temperature;
    const auto& results = data.expected["conformal_alpha0.1"]["results"];
    ASSERT_EQ(results.size(), 16U);
    for (const auto& [name, expected] : results.items()) {
      SCOPED_TRACE(name);
      const double divisor = name.starts_with("ts_") ? t : 1.0;
      const auto has = [&, &key = name](const char* word) { return key.find(word) != key.npos; };
      SetOptions options;
      options.score = has("_lac") ? "lac" : has("_raps") ? "raps" : "aps";
      options.randomised = has("randomized");
      options.crossing = has("crossing");
      options.lambda = has("lam0.01") ? 0.01 : 0.1;
      options.k = has("_k5") ? 5 : 2;
      ConformalSets sets(options);
      sets.fit(data.val() / divisor, data.val_truth(), all.first(half));
      EXPECT_NEAR(sets.thresholds().at(0), expected["qhat"].get<double>(), 1e-9);
      EXPECT_NEAR(
          sets.exact_coverage(),
          std::ceil(0.9 * static_cast<double>(half + 1) - 1e-9) / static_cast<double>(half + 1),
          1e-12);
      const auto found = sets.sets(data.test() / divisor, all.subspan(half));
      const SetReport report = report_sets(found, data.test_truth(), data.classes(), 0.1);
      EXPECT_NEAR(report.coverage, expected["coverage"].get<double>(), 1e-12);
      EXPECT_NEAR(report.mean_size, expected["mean_size"].get<double>(), 1e-12);
      EXPECT_EQ(report.empty, expected["empty"].get<Index>());
      EXPECT_EQ(report.sizes, expected["size_hist"].get<std::vector<Index>>());
    }
  }
}

TEST(ConformalSets, follow_an_example_worked_by_hand) {
  // Four samples of the first class with p = 0.9, 0.8, 0.7, 0.6: lac scores 0.1 .. 0.4. Error 0.4:
  // k = ceil(5 * 0.6) = 3, so the threshold is 0.3 and classes of p >= 0.7 belong.
  Dense<double> logits = Dense<double>::Zero(4, 2);
  for (Index i = 0; i < 4; ++i) {
    const double p = 0.9 - 0.1 * static_cast<double>(i);
    logits(i, 0) = std::log(p / (1.0 - p));
  }
  SetOptions options;
  options.score = "lac";
  options.error = 0.4;
  ConformalSets sets(options);
  sets.fit(logits, std::vector<Index>(4, 0), {});
  EXPECT_NEAR(sets.thresholds().at(0), 0.3, 1e-12);
  const auto found = sets.sets(logits, {});
  EXPECT_EQ(found[0], ClassSet{0});
  EXPECT_TRUE(found[3].empty());
  options.error = 0.1;  // k = 5 of 4: nothing can be ruled out
  ConformalSets wide(options);
  wide.fit(logits, std::vector<Index>(4, 0), {});
  EXPECT_EQ(wide.thresholds().at(0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(wide.sets(logits, {})[3], (ClassSet{0, 1}));
  EXPECT_EQ(wide.exact_coverage(), 1.0);
}

struct DrawnScores {
  Dense<double> logits;
  std::vector<Index> truth;
  std::vector<double> uniform;

  DrawnScores(Index n, std::uint64_t seed) : logits(n, 4) {
    Rng rng(seed, "drawn");
    for (Index i = 0; i < n; ++i) {
      truth.push_back(rng.below(10) < 7 ? 0 : 1 + rng.below(3));
      for (Index k = 0; k < 4; ++k) {
        logits(i, k) = (k == truth.back() ? 1.5 : 0.0) + (k == 0 ? 1.0 : 0.0) + rng.normal();
      }
      uniform.push_back(rng.uniform());
    }
  }
};

TEST(ConformalSets, cover_as_promised_on_average_over_draws) {
  for (const std::string score : {"lac", "aps", "raps"}) {
    double coverage = 0.0;
    double exact = 0.0;
    for (std::uint64_t draw = 0; draw < 40; ++draw) {
      const DrawnScores known(200, 2 * draw);
      const DrawnScores fresh(200, 2 * draw + 1);
      SetOptions options;
      options.score = score;
      options.error = 0.2;
      ConformalSets sets(options);
      sets.fit(known.logits, known.truth, known.uniform);
      coverage += report_sets(sets.sets(fresh.logits, fresh.uniform), fresh.truth, 4, 0.2).coverage;
      exact += sets.exact_coverage();
    }
    EXPECT_NEAR(coverage / 40, exact / 40, 0.015) << score;
  }
}

TEST(ConformalSets, by_class_cover_the_rare_ones_too) {
  const DrawnScores known(4000, 1);
  const DrawnScores fresh(4000, 2);
  SetOptions options;
  options.score = "lac";
  ConformalSets one(options);
  one.fit(known.logits, known.truth, {});
  options.by_class = true;
  ConformalSets each(options);
  each.fit(known.logits, known.truth, {});
  const auto of_one = report_sets(one.sets(fresh.logits, {}), fresh.truth, 4, 0.1);
  const auto of_each = report_sets(each.sets(fresh.logits, {}), fresh.truth, 4, 0.1);
  EXPECT_NEAR(of_one.coverage, 0.9, 0.02);
  EXPECT_LT(of_one.class_coverage[2], 0.8);
  for (const double coverage : of_each.class_coverage) {
    EXPECT_NEAR(coverage, 0.9, 0.06);  // some 400 samples a class
  }
  options.error = 0.001;  // nobody has 999 samples but class 0; the others share one threshold
  ConformalSets strict(options);
  strict.fit(known.logits, known.truth, {});
  EXPECT_EQ(strict.thresholds()[1], strict.thresholds()[3]);
  EXPECT_NE(strict.thresholds()[0], strict.thresholds()[1]);
}

TEST(ConformalSets, are_the_same_after_saving_and_name_what_is_missing) {
  const DrawnScores known(50, 3);
  ConformalSets sets((SetOptions()));
  EXPECT_THROW((void)sets.sets(known.logits, known.uniform), Error);
  sets.fit(known.logits, known.truth, known.uniform);
  State state;
  sets.save(state);
  ConformalSets again((SetOptions()));
  again.load(from_archive(to_archive(state), "test"));
  EXPECT_EQ(again.sets(known.logits, known.uniform), sets.sets(known.logits, known.uniform));
  EXPECT_THROW(sets.fit(known.logits, known.truth, {}), Error);
  SetOptions filled;
  filled.score = "lac";
  filled.error = 0.9;
  filled.never_empty = true;
  ConformalSets never(filled);
  never.fit(known.logits, known.truth, {});
  for (const ClassSet& one : never.sets(known.logits, {})) {
    EXPECT_FALSE(one.empty());
  }
}

}  // namespace
}  // namespace tyto
