// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

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

// Logarithms of counts. Those of small counts, which come again and again, are kept.
class CountLogs {
 public:
  Wide of(Count count) {
    if (count >= static_cast<Count>(kept_.size())) {
      return std::log(wide(count));
    }
    Wide& kept = kept_[static_cast<std::size_t>(count)];
    if (kept == 0 && count > 1) {
      kept = std::log(wide(count));
    }
    return kept;
  }

 private:
  std::array<Wide, 1024> kept_{};
};

Wide pairs_among(Count count) {
  return wide(count) * wide(count - 1) / 2;
}

Wide pairs_within(const std::vector<Count>& counts) {
  Wide sum = 0;
  for (const Count count : counts) {
    sum += pairs_among(count);
  }
  return sum;
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
  CountLogs logs;
  const auto logs_of = [&](const std::vector<Count>& counts) {
    std::vector<Wide> made;
    for (const Count count : counts) {
      made.push_back(logs.of(count));
    }
    return made;
  };
  const std::vector<Wide> actual = logs_of(matrix.actual_counts());
  const std::vector<Wide> predicted = logs_of(matrix.predicted_counts());
  const Wide all = logs.of(matrix.total());
  Wide sum = 0;
  for (const auto& [cell, count] : matrix.cells()) {
    // In this order each difference is exactly 0 for a single row or column.
    sum += wide(count) * ((logs.of(count) - actual[static_cast<std::size_t>(cell.first)]) +
                          (all - predicted[static_cast<std::size_t>(cell.second)]));
  }
  // Rounding may leave a little below 0.
  return std::max(0.0, static_cast<double>(sum / wide(matrix.total())));
}

std::optional<double> nmi(const Confusion& matrix, EntropyMean mean) {
  const auto information = mutual_information(matrix);
  if (!information) {
    return std::nullopt;
  }
  const double actual = *entropy(matrix.actual_counts());
  const double predicted = *entropy(matrix.predicted_counts());
  if (actual == 0.0 || predicted == 0.0) {
    return actual == predicted ? 1.0 : 0.0;
  }
  double whole = (actual + predicted) / 2.0;
  switch (mean) {
    case EntropyMean::arithmetic: break;
    case EntropyMean::geometric: whole = std::sqrt(actual * predicted); break;
    case EntropyMean::smaller: whole = std::min(actual, predicted); break;
    case EntropyMean::larger: whole = std::max(actual, predicted); break;
  }
  return std::min(1.0, *information / whole);
}

std::optional<double> information_quality_ratio(const Confusion& matrix) {
  const auto information = mutual_information(matrix);
  if (!information) {
    return std::nullopt;
  }
  const double joint =
      *entropy(matrix.actual_counts()) + *entropy(matrix.predicted_counts()) - *information;
  return joint <= 0.0 ? 1.0 : std::min(1.0, *information / joint);
}

std::optional<double> ari(const Confusion& matrix) {
  if (matrix.total() == 0) {
    return std::nullopt;
  }
  Wide together = 0;  // pairs of samples together in both
  for (const auto& [cell, count] : matrix.cells()) {
    together += pairs_among(count);
  }
  const Wide actual_alone = pairs_within(matrix.actual_counts()) - together;
  const Wide predicted_alone = pairs_within(matrix.predicted_counts()) - together;
  if (actual_alone == 0 && predicted_alone == 0) {
    return 1.0;
  }
  const Wide apart = pairs_among(matrix.total()) - together - actual_alone - predicted_alone;
  const Wide scale = (together + actual_alone) * (actual_alone + apart) +
                     (together + predicted_alone) * (predicted_alone + apart);
  return static_cast<double>(2 * (together * apart - actual_alone * predicted_alone) / scale);
}

}  // namespace tyto
