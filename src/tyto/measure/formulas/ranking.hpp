// SPDX-License-Identifier: Apache-2.0
// How well a novelty score puts novel samples above known ones, whatever the threshold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tyto {

// The samples sorted by novelty score, once for all measures of it. Samples of the same score stand
// in one group: a threshold takes or leaves them together, so the order of ties cannot matter.
struct NoveltyRanking {
  struct Group {
    std::int32_t novel = 0, known = 0;
    std::int32_t right = 0;  // of the known: those named right if no sample were called novel
  };

  std::vector<Group> groups;  // from the lowest score to the highest
  std::int64_t novel = 0, known = 0;

  // Nothing can be ranked against nothing.
  [[nodiscard]] bool one_sided() const { return novel == 0 || known == 0; }
};

// O(n log n). is_right may be empty: then none is. Throws Error(data) if a score is not a number;
// infinities are ranked.
NoveltyRanking rank_novelty(std::span<const float> score, std::span<const std::uint8_t> is_novel,
                            std::span<const std::uint8_t> is_right = {});

// Which samples shall be found: the novel by a high score, or the known by a low one.
enum class Positive { novel, known };

// All below are missing where there are no novel samples or no known ones.

// Chance that a novel sample scores above a known one, ties counting half.
std::optional<double> auroc(const NoveltyRanking& ranking);
std::optional<double> auroc(std::span<const float> score,
                            std::span<const std::uint8_t> is_positive);

// Mean of the precision at each positive sample: steps, no line drawn between points.
std::optional<double> average_precision(const NoveltyRanking& ranking, Positive positive);

// Area below straight lines through the points (recall, precision), from (0, 1) on.
std::optional<double> precision_recall_area(const NoveltyRanking& ranking, Positive positive);

// Share of the other samples taken for positive at the first threshold, from the strictest on, that
// finds 95 % of the positive ones.
std::optional<double> fpr_at_95_tpr(const NoveltyRanking& ranking, Positive positive);

}  // namespace tyto
