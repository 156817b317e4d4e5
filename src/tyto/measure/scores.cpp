// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/scores.hpp"

#include <algorithm>
#include <cmath>

namespace tyto {

namespace {

using Count = Confusion::Count;
using Wide = long double;

Wide wide(Count count) {
  return static_cast<Wide>(count);
}

std::optional<double> ratio(Count part, Count whole) {
  if (whole == 0) {
    return std::nullopt;
  }
  return static_cast<double>(wide(part) / wide(whole));
}

Wide sum_of_squares(const std::vector<Count>& counts) {
  Wide sum = 0;
  for (const Count count : counts) {
    sum += wide(count) * wide(count);
  }
  return sum;
}

}  // namespace

std::optional<double> accuracy(const Confusion& matrix) {
  return ratio(matrix.correct(), matrix.total());
}

std::optional<double> balanced_accuracy(const Confusion& matrix) {
  if (matrix.total() == 0) {
    return std::nullopt;
  }
  const auto actual = matrix.actual_counts();
  Wide sum = 0;
  for (const auto& [cell, count] : matrix.cells()) {
    if (cell.first == cell.second) {
      sum += wide(count) / wide(actual[static_cast<std::size_t>(cell.first)]);
    }
  }
  const auto classes = std::count_if(actual.begin(), actual.end(), [](Count n) { return n > 0; });
  return static_cast<double>(sum / wide(classes));
}

std::optional<double> mcc(const Confusion& matrix) {
  if (matrix.total() == 0) {
    return std::nullopt;
  }
  const auto actual = matrix.actual_counts();
  const auto predicted = matrix.predicted_counts();
  const Wide s = wide(matrix.total());
  Wide chance = 0;
  for (std::size_t k = 0; k < actual.size(); ++k) {
    chance += wide(actual[k]) * wide(predicted[k]);
  }
  const Wide spread_predicted = s * s - sum_of_squares(predicted);
  const Wide spread_actual = s * s - sum_of_squares(actual);
  if (spread_predicted <= 0 || spread_actual <= 0) {
    return 0.0;
  }
  const Wide covariance = wide(matrix.correct()) * s - chance;
  return static_cast<double>(covariance / (std::sqrt(spread_predicted) * std::sqrt(spread_actual)));
}

std::optional<double> entropy(std::span<const Count> counts) {
  Count total = 0;
  for (const Count count : counts) {
    total += count;
  }
  if (total == 0) {
    return std::nullopt;
  }
  Wide sum = 0;
  for (const Count count : counts) {
    if (count > 0) {
      sum += wide(count) / wide(total) * std::log(wide(total) / wide(count));
    }
  }
  return static_cast<double>(sum);
}

std::optional<double> mutual_information(const Confusion& matrix) {
  if (matrix.total() == 0) {
    return std::nullopt;
  }
  const auto actual = matrix.actual_counts();
  const auto predicted = matrix.predicted_counts();
  const Wide s = wide(matrix.total());
  Wide sum = 0;
  for (const auto& [cell, count] : matrix.cells()) {
    const Wide chance = wide(actual[static_cast<std::size_t>(cell.first)]) *
                        wide(predicted[static_cast<std::size_t>(cell.second)]);
    sum += wide(count) / s * std::log(wide(count) * s / chance);
  }
  return std::max(0.0, static_cast<double>(sum));  // rounding may leave a little below 0
}

std::optional<double> nmi(const Confusion& matrix) {
  const auto information = mutual_information(matrix);
  if (!information) {
    return std::nullopt;
  }
  const double actual = *entropy(matrix.actual_counts());
  const double predicted = *entropy(matrix.predicted_counts());
  if (actual == 0.0 && predicted == 0.0) {
    return 1.0;
  }
  return std::min(1.0, *information / ((actual + predicted) / 2.0));
}

}  // namespace tyto
