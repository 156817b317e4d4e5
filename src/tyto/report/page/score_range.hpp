// SPDX-License-Identifier: Apache-2.0
// From where to where scores are drawn.
#pragma once

#include <optional>
#include <span>

namespace tyto {

struct ScoreRange {
  double low = 0.0, high = 1.0;  // low < high
};

// All but the outermost half percent on either side of those that are finite. Missing where there
// are none.
std::optional<ScoreRange> score_range(std::span<const float> scores);

}  // namespace tyto
