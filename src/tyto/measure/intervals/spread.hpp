// SPDX-License-Identifier: Apache-2.0
// The same measures of several runs that differ in their seed alone: mean and deviation.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tyto/measure/tables/render.hpp"

namespace tyto {

struct Spread {
  Index count = 0;                        // runs that have a value
  std::optional<double> mean, low, high;  // of those
  std::optional<double> deviation;        // with the divisor count - 1; missing below two
};

Spread spread_of(std::span<const std::optional<double>> values);

struct SpreadRow {
  MeasureRow row;  // without value
  Spread spread;
};

// Rows of one arm, run by run, matched by what they are rows of, in order of first appearance.
std::vector<SpreadRow> spread_rows(std::span<const std::vector<MeasureRow>> runs);

struct ArmSpread {
  Leading leading;
  std::vector<SpreadRow> rows;
};

// Leading columns, those of measures.csv without value, then runs, mean, deviation, low, high.
LongTable long_table(std::span<const ArmSpread> arms);

}  // namespace tyto
