// SPDX-License-Identifier: Apache-2.0
// Values of single tests taken together: their mean, with what other tests of the kind could have
// given. Tests are drawn anew, never samples, whose answers hang on each other within a test.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/measure/intervals/bootstrap.hpp"
#include "tyto/measure/registry.hpp"

namespace tyto {

// A column of `Scores`, which has one row per test.
template <class Scores>
struct ProgrammeMeasure {
  std::string_view name, summary, formula, programme_name;  // the last: "M1", or ""
  Better better = Better::higher;
  std::optional<double> Scores::*value = nullptr;
};

struct ProgrammeRow {
  std::string name, programme_name;
  Index tests = 0;              // that have a value
  std::optional<double> value;  // mean over those
  Interval interval;            // over tests; missing below 2 of them
};

// A statistic of the tests with these numbers, which may come more than once.
using TestStatistic = std::function<std::optional<double>(std::span<const Index>)>;

// Of `tests` tests. Equal seeds draw equal tests for every statistic, so that rows can be held
// against each other.
ProgrammeRow row_over_tests(std::string_view name, Index tests, Index with_value,
                            const BootstrapOptions& options, const TestStatistic& statistic);
ProgrammeRow mean_over_tests(std::string_view name, std::span<const std::optional<double>> values,
                             const BootstrapOptions& options);

// Missing where no test has a value.
std::optional<double> mean_over_tests(std::span<const std::optional<double>> values);

template <class Scores>
std::vector<std::optional<double>> column_of(const ProgrammeMeasure<Scores>& measure,
                                             std::span<const Scores> tests) {
  std::vector<std::optional<double>> values;
  for (const Scores& test : tests) {
    values.push_back(test.*measure.value);
  }
  return values;
}

template <class Scores>
std::vector<ProgrammeRow> rows_over_tests(std::span<const ProgrammeMeasure<Scores>> measures,
                                          std::span<const Scores> tests,
                                          const BootstrapOptions& options) {
  std::vector<ProgrammeRow> rows;
  for (const ProgrammeMeasure<Scores>& measure : measures) {
    rows.push_back(mean_over_tests(measure.name, column_of(measure, tests), options));
    rows.back().programme_name = measure.programme_name;
  }
  return rows;
}

}  // namespace tyto
