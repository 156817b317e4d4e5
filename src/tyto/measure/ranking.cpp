// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

std::optional<double> auroc(std::span<const float> score,
                            std::span<const std::uint8_t> is_positive) {
  if (score.size() != is_positive.size()) {
    throw Error(ErrorKind::data, fmt::format("{} scores cannot be ranked for {} samples",
                                             score.size(), is_positive.size()));
  }
  std::vector<std::pair<float, bool>> ranked(score.size());
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (std::isnan(score[i])) {
      throw Error(ErrorKind::data, fmt::format("the score of sample {} is not a number", i));
    }
    ranked[i] = {score[i], is_positive[i] != 0};
  }
  std::sort(ranked.begin(), ranked.end());
  // Twice the number of (positive, negative) pairs in order, so that a tie counts 1: exact.
  std::int64_t ordered = 0;
  std::int64_t positives = 0;
  std::int64_t negatives = 0;
  for (auto begin = ranked.begin(); begin != ranked.end();) {
    const float value = begin->first;
    std::int64_t tied_positives = 0;
    std::int64_t tied_negatives = 0;
    for (; begin != ranked.end() && begin->first == value; ++begin) {
      (begin->second ? tied_positives : tied_negatives) += 1;
    }
    ordered += tied_positives * (2 * negatives + tied_negatives);
    positives += tied_positives;
    negatives += tied_negatives;
  }
  if (positives == 0 || negatives == 0) {
    return std::nullopt;
  }
  return static_cast<double>(ordered) /
         (2.0 * static_cast<double>(positives) * static_cast<double>(negatives));
}

}  // namespace tyto
