// SPDX-License-Identifier: Apache-2.0
// How well a score puts the positive samples above the others, whatever the threshold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tyto {

// Chance that a positive sample scores above a negative one, ties counting half (mid-ranks);
// O(n log n). Missing if all samples are of one kind. Throws Error(data) if a score is not a
// number; infinities are ranked.
std::optional<double> auroc(std::span<const float> score,
                            std::span<const std::uint8_t> is_positive);

}  // namespace tyto
