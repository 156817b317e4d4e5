// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/open_set.hpp"

#include <cmath>

#include "tyto/sample/label_space.hpp"

namespace tyto {

namespace {

using OpenCount = Confusion::Count;

struct KnownCounts {
  std::vector<OpenCount> right, actual, called;  // by label; 0 for `unknown`
};

KnownCounts known_counts(const Confusion& classification) {
  KnownCounts counts{std::vector<OpenCount>(classification.labels().size(), 0),
                     classification.actual_counts(), classification.predicted_counts()};
  for (const auto& [cell, count] : classification.cells()) {
    if (cell.first == cell.second) {
      counts.right[static_cast<std::size_t>(cell.first)] = count;
    }
  }
  if (const auto unknown = classification.find(kUnknownName)) {
    const auto at = static_cast<std::size_t>(*unknown);
    counts.right[at] = counts.actual[at] = counts.called[at] = 0;
  }
  return counts;
}

double share_of(OpenCount part, OpenCount whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::optional<double> openness(std::int64_t known_classes, std::int64_t novel_classes) {
  if (known_classes + novel_classes == 0) {
    return std::nullopt;
  }
  return 1.0 - std::sqrt(share_of(2 * known_classes, 2 * known_classes + novel_classes));
}

std::optional<double> f_measure(const Confusion& classification) {
  const KnownCounts counts = known_counts(classification);
  double sum = 0.0;
  OpenCount classes = 0;
  for (std::size_t k = 0; k < counts.right.size(); ++k) {
    const OpenCount both = counts.actual[k] + counts.called[k];
    if (both > 0) {
      sum += share_of(2 * counts.right[k], both);
      ++classes;
    }
  }
  return classes == 0 ? std::nullopt : std::optional(sum / static_cast<double>(classes));
}

std::optional<double> f_measure_micro(const Confusion& classification) {
  const KnownCounts counts = known_counts(classification);
  OpenCount right = 0;
  OpenCount both = 0;
  for (std::size_t k = 0; k < counts.right.size(); ++k) {
    right += counts.right[k];
    both += counts.actual[k] + counts.called[k];
  }
  return both == 0 ? std::nullopt : std::optional(share_of(2 * right, both));
}

std::optional<double> ccr_at_fpr(const NoveltyRanking& ranking, std::int64_t one_in) {
  if (ranking.one_sided()) {
    return std::nullopt;
  }
  const std::int64_t limit = (ranking.novel + one_in - 1) / one_in;
  std::int64_t let_in = 0;
  std::int64_t right = 0;
  for (const NoveltyRanking::Group& group : ranking.groups) {
    let_in += group.novel;
    if (let_in >= limit) {  // the threshold stands here: what ties with it is kept out
      break;
    }
    right += group.right;
  }
  return share_of(right, ranking.known);
}

std::optional<double> oscr(const NoveltyRanking& ranking) {
  if (ranking.one_sided()) {
    return std::nullopt;
  }
  // Twice the number of (named right, novel) pairs in order: exact, a tie counts half.
  std::int64_t ordered = 0;
  std::int64_t right = 0;
  for (const NoveltyRanking::Group& group : ranking.groups) {
    ordered += group.novel * (2 * right + group.right);
    right += group.right;
  }
  return static_cast<double>(ordered) /
         (2.0 * static_cast<double>(ranking.novel) * static_cast<double>(ranking.known));
}

}  // namespace tyto
