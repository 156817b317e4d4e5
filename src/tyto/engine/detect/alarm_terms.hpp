// SPDX-License-Identifier: Apache-2.0
// From what a user can say of alarms to a threshold, where only normal rows are known: a rate of
// false ones, what the two mistakes cost, or how many a day can be looked at.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct AlarmTerms {
  double rate = 0.01;                  // false alarms on normal rows
  std::optional<double> miss, wrong;   // costs of a miss and of a false alarm
  std::optional<double> frequency;     // share of novel rows to come, for costs
  std::optional<double> alarms, rows;  // a day

  void check() const;  // throws Error(config)

  [[nodiscard]] bool by_cost() const { return miss.has_value(); }

  [[nodiscard]] bool by_budget() const { return alarms.has_value(); }

  // Before anything is scored: what the detector is told to accept.
  [[nodiscard]] double rate_asked() const;
};

// "10:1" as costs of a miss and of a false alarm.
std::pair<double, double> costs_in(const std::string& text);

// P-values of new rows as a mixture: even where a row is normal, a Beta(a, 1) density leaning to 0
// where it is novel (Pounds and Morris 2003). Fitted by EM; ten rows' worth of a prior around
// a = 0.25 keep few rows from telling too much.
struct NoveltyMixture {
  double frequency = 0, shape = 0.25;

  // The p-value below which an alarm is cheaper than silence; 0: never, 1: always.
  [[nodiscard]] double cheapest(double miss, double wrong) const;
  // Mean cost of a row under that rule.
  [[nodiscard]] double cost(double p, double miss, double wrong) const;
};

NoveltyMixture fit_mixture(std::span<const float> p_value, std::optional<double> frequency);

struct AlarmRule {
  double p = 0;          // an alarm where the p-value is no greater,
  float above = 0;       // and the novelty greater
  bool bounded = false;  // `above` counts: the new rows themselves fill the budget
  std::vector<std::string> notes;
};

// For rules other than a rate, which the predictor decides itself. `held`: rows behind the
// p-values.
AlarmRule alarm_rule(const AlarmTerms& terms, std::span<const float> novelty,
                     std::span<const float> p_value, Index held);

}  // namespace tyto
