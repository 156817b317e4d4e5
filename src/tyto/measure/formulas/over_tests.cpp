// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/over_tests.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tyto {

namespace {

std::optional<double> mean_of_picked(std::span<const std::optional<double>> values,
                                     std::span<const Index> picked) {
  double sum = 0.0;
  Index count = 0;
  for (const Index i : picked) {
    if (const auto& value = values[at(i)]) {
      sum += *value;
      ++count;
    }
  }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

std::vector<Index> every_test(Index tests) {
  std::vector<Index> all(at(tests));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

}  // namespace

ProgrammeRow row_over_tests(std::string_view name, Index tests, Index with_value,
                            const BootstrapOptions& options, const TestStatistic& statistic) {
  if (options.replicates > 0) {
    options.check();
  }
  std::vector<Index> picked = every_test(tests);
  ProgrammeRow row{std::string(name), "", with_value, statistic(picked), {}};
  if (with_value < 2 || options.replicates == 0) {
    return row;
  }
  const Rng rng(options.seed, "bootstrap over tests");
  std::vector<double> drawn;
  for (Index replicate = 0; replicate < options.replicates; ++replicate) {
    Rng draw = rng.fork("replicate", static_cast<std::uint64_t>(replicate));
    for (Index& test : picked) {
      test = draw.below(tests);
    }
    drawn.push_back(statistic(picked).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  row.interval = percentile_interval(drawn, options.level);
  return row;
}

ProgrammeRow mean_over_tests(std::string_view name, std::span<const std::optional<double>> values,
                             const BootstrapOptions& options) {
  const auto with_value = std::count_if(values.begin(), values.end(),
                                        [](const auto& value) { return value.has_value(); });
  return row_over_tests(
      name, std::ssize(values), with_value, options,
      [&](std::span<const Index> picked) { return mean_of_picked(values, picked); });
}

std::optional<double> mean_over_tests(std::span<const std::optional<double>> values) {
  return mean_of_picked(values, every_test(std::ssize(values)));
}

}  // namespace tyto
