// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/gaussian_bayes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/record/observed_columns.hpp"

namespace tyto {

namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// Logarithms of share x density, up to a constant. Where a class is a point and the observation is
// on it, such classes are infinitely likelier than the others.
std::vector<double> log_weights(double x, double y, std::span<const GaussianClass> classes,
                                std::span<const double> share) {
  std::vector<double> weights(classes.size(), kImpossible);
  std::vector<double> points(classes.size(), kImpossible);
  bool on_point = false;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (!(share[k] > 0)) {
      continue;
    }
    const GaussianClass& from = classes[k];
    const double dx = x - from.mean[0];
    const double dy = y - from.mean[1];
    if (from.variance > 0) {
      weights[k] =
          std::log(share[k]) - std::log(from.variance) - (dx * dx + dy * dy) / (2 * from.variance);
    } else if (static_cast<float>(x) == static_cast<float>(from.mean[0]) &&
               static_cast<float>(y) == static_cast<float>(from.mean[1])) {
      points[k] = std::log(share[k]);
      on_point = true;
    }
  }
  return on_point ? points : weights;
}

}  // namespace

LeastError least_error(double x, double y, std::span<const GaussianClass> classes,
                       std::span<const double> share, const std::vector<bool>& is_known) {
  const std::vector<double> weights = log_weights(x, y, classes, share);
  const double top = *std::max_element(weights.begin(), weights.end());
  TYTO_ASSERT(top > kImpossible);
  double all = 0;
  double best = 0;
  double best_known = 0;
  double unknown = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const double weight = std::exp(weights[k] - top);
    all += weight;
    best = std::max(best, weight);
    if (is_known[k]) {
      best_known = std::max(best_known, weight);
    } else {
      unknown += weight;
    }
  }
  return {std::max(0.0, 1 - best / all), std::max(0.0, 1 - std::max(best_known, unknown) / all)};
}

void tell_least_errors(Series& series, const Schedule& schedule,
                       const std::vector<GaussianClass>& classes) {
  IndexTable& table = series.joined.table;
  std::vector<std::string>& named = table.annotations[std::string(kLeastErrorColumn)];
  std::vector<std::string>& unknown = table.annotations[std::string(kLeastErrorUnknownColumn)];
  named.assign(table.label.size(), "");
  unknown.assign(table.label.size(), "");
  std::map<std::string_view, std::size_t> place;
  for (const GaussianClass& one : classes) {
    place.emplace(one.name, place.size());
  }
  for (Index step = 0; step < schedule.size(); ++step) {
    std::vector<bool> is_known(classes.size());
    for (const std::string& name : schedule.shown_before(step)) {
      is_known[place.at(name)] = true;
    }
    for (const ScheduledSplit& split : schedule.increments[at(step)].splits) {
      std::vector<double> share(classes.size());
      for (const Index row : split.row) {
        share[place.at(table.label[at(row)])] += 1.0 / static_cast<double>(split.size());
      }
      Matrix values(split.size(), 2);
      series.joined.store->gather("features", split.row, values);
      for (Index i = 0; i < split.size(); ++i) {
        const LeastError error = least_error(values(i, 0), values(i, 1), classes, share, is_known);
        const std::size_t row = at(split.row[at(i)]);
        named[row] = fmt::format("{:.9g}", error.named);
        unknown[row] = fmt::format("{:.9g}", error.unknown);
      }
    }
  }
}

}  // namespace tyto
