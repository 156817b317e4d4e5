// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/weibull.hpp"

#include <cmath>
#include <fstream>
#include <vector>

#include "support/places.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"

namespace tyto {
namespace {

std::vector<double> weibull_draws(std::size_t n, double scale, double shape, std::uint64_t seed) {
  Rng rng(seed, "weibull");
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) {
    out.push_back(scale * std::pow(-std::log(1.0 - rng.uniform()), 1.0 / shape));
  }
  return out;
}

// Those of tests/golden/make_open_set.py, then those of libMR itself where they are at hand.
nlohmann::json weibull_cases() {
  std::ifstream own(testing_support::in_tree("/tests/golden/open_set.json"));
  nlohmann::json cases = nlohmann::json::parse(own).at("weibull");
  std::ifstream libmr(testing_support::in_tree("/../shared/data/open-set/weibull_fits.json"));
  if (libmr) {
    for (const auto& one : nlohmann::json::parse(libmr)) {
      cases.push_back(one);
    }
  }
  return cases;
}

TEST(FitWeibull, matches_libmr_and_the_exact_maximum) {
  const auto cases = weibull_cases();
  ASSERT_GE(cases.size(), 6U);
  for (const auto& one : cases) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const auto data = one["data"].get<std::vector<double>>();
    const auto tail = one["tail"].get<std::size_t>();
    const TailFit fit = one["direction"] == "low" ? fit_low(data, tail) : fit_high(data, tail);
    const auto near = [](double value, double expected, double relative) {
      EXPECT_NEAR(value, expected, relative * std::abs(expected));
    };
    near(fit.weibull.scale, one["exact_mle"]["scale"], 1e-9);
    near(fit.weibull.shape, one["exact_mle"]["shape"], 1e-9);
    near(fit.weibull.scale, one["libmr"]["scale"], 1e-5);
    near(fit.weibull.shape, one["libmr"]["shape"], 1e-5);
    EXPECT_EQ(fit.small_score, one["libmr"]["small_score"].get<double>());
    EXPECT_EQ(fit.sign, one["libmr"]["sign"].get<double>());
    for (std::size_t i = 0; i < one["query"].size(); ++i) {
      const double score = fit.w_score(one["query"][i]);
      EXPECT_NEAR(score, one["wscore"][i].get<double>(), 1e-5) << i;
      if (score > 1e-6 && score < 1 - 1e-6) {
        near(fit.inverse(score), one["query"][i], 1e-8);
      }
    }
  }
}

TEST(FitWeibull, solves_the_score_equation) {
  for (const double shape : {0.05, 0.7, 1.0, 3.0, 40.0, 3000.0}) {
    for (const std::size_t n : {2U, 5U, 100U}) {
      const auto values = weibull_draws(n, 7.0, shape, n);
      const Weibull fit = fit_weibull(values);
      double top = 0;
      double bottom = 0;
      double logs = 0;
      double powers = 0;
      for (const double t : values) {
        const double y = std::log(t / fit.scale);
        top += std::exp(fit.shape * y) * y;
        bottom += std::exp(fit.shape * y);
        logs += y;
        powers += std::exp(fit.shape * y);
      }
      const auto count = static_cast<double>(n);
      // 1/k = sum t^k ln t / sum t^k - mean ln t; mean (t / scale)^k = 1
      EXPECT_NEAR(fit.shape * (top / bottom - logs / count), 1.0, 1e-9) << shape << " " << n;
      EXPECT_NEAR(powers / count, 1.0, 1e-9) << shape << " " << n;
    }
  }
}

TEST(FitWeibull, scales_with_its_values) {
  const auto values = weibull_draws(50, 1.0, 4.0, 3);
  const Weibull fit = fit_weibull(values);
  for (const double factor : {1e-12, 0.3, 1e9}) {
    std::vector<double> scaled = values;
    for (double& value : scaled) {
      value *= factor;
    }
    const Weibull again = fit_weibull(scaled);
    EXPECT_NEAR(again.shape, fit.shape, 1e-9 * fit.shape);
    EXPECT_NEAR(again.scale, factor * fit.scale, 1e-9 * factor * fit.scale);
  }
}

TEST(FitWeibull, finds_the_parameters_of_many_draws) {
  // Standard errors with n = 1e5: shape 0.78 k / sqrt(n) = 0.005, scale 1.05 / (k sqrt(n)).
  const Weibull fit = fit_weibull(weibull_draws(100000, 3.0, 2.0, 9));
  EXPECT_NEAR(fit.shape, 2.0, 0.03);
  EXPECT_NEAR(fit.scale, 3.0, 0.03);
}

TEST(FitWeibull, is_a_step_where_values_are_equal_or_there_is_one) {
  for (const auto& values : {std::vector<double>{2.5}, std::vector<double>(7, 2.5)}) {
    const Weibull fit = fit_weibull(values);
    EXPECT_EQ(fit.shape, kSteepestWeibull);
    EXPECT_NEAR(fit.scale, 2.5, 1e-12);
    EXPECT_EQ(fit.cdf(2.4), 0.0);
    EXPECT_EQ(fit.cdf(2.6), 1.0);
  }
  const Weibull nothing = fit_weibull(std::vector<double>(3, 0.0));
  EXPECT_GT(nothing.scale, 0.0);
  EXPECT_EQ(nothing.cdf(1e-30), 1.0);
  const Weibull some = fit_weibull(std::vector<double>{0.0, 1.0, 2.0});
  EXPECT_GT(some.shape, 0.0);
  EXPECT_LT(some.shape, 1.0);  // zeros flatten it
}

TEST(FitTail, takes_all_where_the_tail_is_larger_than_the_data) {
  const std::vector<double> data{3.0, 1.0, 2.0};
  EXPECT_EQ(fit_low(data, 20).weibull.shape, fit_low(data, 3).weibull.shape);
  EXPECT_EQ(fit_low(data, 20).small_score, -3.0);
  EXPECT_EQ(fit_high(data, 2).small_score, 2.0);
  EXPECT_THROW(fit_low(std::vector<double>{}, 5), Error);
}

TEST(FitTail, of_equal_values_is_a_step_at_them) {
  const TailFit fit = fit_low(std::vector<double>{4.0, 4.0, 4.0, 9.0}, 3);
  EXPECT_EQ(fit.w_score(4.1), 0.0);
  EXPECT_EQ(fit.w_score(3.9), 1.0);
}

}  // namespace
}  // namespace tyto
