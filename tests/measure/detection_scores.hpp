// SPDX-License-Identifier: Apache-2.0
// Scores drawn for tests of detection, and the measures of them by plain enumeration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "tyto/core/random.hpp"

namespace tyto::testing_support {

struct DrawnScores {
  std::vector<double> score;
  std::vector<std::uint8_t> is_novel;
};

// `steps` makes ties: scores are whole numbers below it, novel ones a little higher.
inline DrawnScores drawn_scores(std::uint64_t seed, Index n, Index steps) {
  Rng rng(seed, "drawn scores");
  DrawnScores out;
  for (Index i = 0; i < n; ++i) {
    const bool novel = rng.below(3) == 0;
    out.is_novel.push_back(novel ? 1 : 0);
    out.score.push_back(static_cast<double>(rng.below(steps) + (novel ? rng.below(steps) : 0)));
  }
  return out;
}

struct Enumerated {
  double threshold = 0, novel = 0, normal = 0;
};

// Each distinct score as a threshold, the greatest first, counted anew each time.
inline std::vector<Enumerated> enumerated(const DrawnScores& drawn) {
  const std::set<double, std::greater<>> values(drawn.score.begin(), drawn.score.end());
  std::vector<Enumerated> out;
  for (const double value : values) {
    Enumerated at{value};
    for (std::size_t i = 0; i < drawn.score.size(); ++i) {
      (drawn.is_novel[i] != 0 ? at.novel : at.normal) += drawn.score[i] >= value ? 1 : 0;
    }
    out.push_back(at);
  }
  return out;
}

inline double pairs_in_order(const DrawnScores& drawn) {
  double right = 0, pairs = 0;
  for (std::size_t i = 0; i < drawn.score.size(); ++i) {
    for (std::size_t j = 0; j < drawn.score.size(); ++j) {
      if (drawn.is_novel[i] != 0 && drawn.is_novel[j] == 0) {
        pairs += 1;
        right += drawn.score[i] > drawn.score[j] ? 1.0 : drawn.score[i] == drawn.score[j] ? 0.5 : 0;
      }
    }
  }
  return right / pairs;
}

}  // namespace tyto::testing_support
