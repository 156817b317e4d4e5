// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/ranking.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

// Ordered as the score, the lowest bits left for the kind of sample. -0 is 0.
std::uint64_t sort_key(float score) {
  const auto bits = std::bit_cast<std::uint32_t>(score == 0.0F ? 0.0F : score);
  const std::uint32_t ordered = (bits >> 31U) != 0 ? ~bits : bits | 0x80000000U;
  return std::uint64_t{ordered} << 2U;
}

constexpr std::uint64_t kNovelBit = 1;
constexpr std::uint64_t kRightBit = 2;

double ranked_share(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

struct Counts {
  std::int64_t positive = 0, others = 0;
};

// Calls step(found before, found so far) for each threshold, the strictest first, while it
// returns true.
template <class Step>
void sweep(const NoveltyRanking& ranking, Positive positive, const Step& step) {
  Counts before;
  const auto pass = [&](const NoveltyRanking::Group& group) {
    const bool novel = positive == Positive::novel;
    const Counts now{before.positive + (novel ? group.novel : group.known),
                     before.others + (novel ? group.known : group.novel)};
    const bool go_on = step(before, now);
    before = now;
    return !go_on;
  };
  if (positive == Positive::novel) {
    static_cast<void>(std::any_of(ranking.groups.rbegin(), ranking.groups.rend(), pass));
  } else {
    static_cast<void>(std::any_of(ranking.groups.begin(), ranking.groups.end(), pass));
  }
}

std::int64_t positives(const NoveltyRanking& ranking, Positive positive) {
  return positive == Positive::novel ? ranking.novel : ranking.known;
}

}  // namespace

NoveltyRanking rank_novelty(std::span<const float> score, std::span<const std::uint8_t> is_novel,
                            std::span<const std::uint8_t> is_right) {
  if (score.size() != is_novel.size() ||
      (!is_right.empty() && is_right.size() != is_novel.size())) {
    throw Error(ErrorKind::data, fmt::format("{} scores cannot be ranked for {} samples",
                                             score.size(), is_novel.size()));
  }
  std::vector<std::uint64_t> keys(score.size());
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (std::isnan(score[i])) {
      throw Error(ErrorKind::data, fmt::format("the score of sample {} is not a number", i));
    }
    keys[i] = sort_key(score[i]) | (is_novel[i] != 0 ? kNovelBit : 0) |
              (!is_right.empty() && is_right[i] != 0 ? kRightBit : 0);
  }
  std::sort(keys.begin(), keys.end());
  NoveltyRanking made;
  std::uint64_t last = 0;
  for (const std::uint64_t key : keys) {
    if (made.groups.empty() || key >> 2U != last) {
      last = key >> 2U;
      made.groups.emplace_back();
    }
    NoveltyRanking::Group& group = made.groups.back();
    if ((key & kNovelBit) != 0) {
      ++group.novel;
      ++made.novel;
    } else {
      ++group.known;
      ++made.known;
      group.right += (key & kRightBit) != 0 ? 1 : 0;
    }
  }
  return made;
}

std::optional<double> auroc(const NoveltyRanking& ranking) {
  if (ranking.one_sided()) {
    return std::nullopt;
  }
  // Twice the number of (novel, known) pairs in order, so that a tie counts 1: exact.
  std::int64_t ordered = 0;
  std::int64_t below = 0;
  for (const NoveltyRanking::Group& group : ranking.groups) {
    ordered += group.novel * (2 * below + group.known);
    below += group.known;
  }
  return static_cast<double>(ordered) /
         (2.0 * static_cast<double>(ranking.novel) * static_cast<double>(ranking.known));
}

std::optional<double> auroc(std::span<const float> score,
                            std::span<const std::uint8_t> is_positive) {
  return auroc(rank_novelty(score, is_positive));
}

std::optional<double> average_precision(const NoveltyRanking& ranking, Positive positive) {
  if (ranking.one_sided()) {
    return std::nullopt;
  }
  double sum = 0.0;
  sweep(ranking, positive, [&](const Counts& before, const Counts& now) {
    if (now.positive > before.positive) {
      sum += static_cast<double>(now.positive - before.positive) *
             ranked_share(now.positive, now.positive + now.others);
    }
    return true;
  });
  return sum / static_cast<double>(positives(ranking, positive));
}

std::optional<double> precision_recall_area(const NoveltyRanking& ranking, Positive positive) {
  if (ranking.one_sided()) {
    return std::nullopt;
  }
  double sum = 0.0;
  double last = 1.0;
  sweep(ranking, positive, [&](const Counts& before, const Counts& now) {
    const double precision = ranked_share(now.positive, now.positive + now.others);
    sum += static_cast<double>(now.positive - before.positive) * (last + precision) / 2.0;
    last = precision;
    return true;
  });
  return sum / static_cast<double>(positives(ranking, positive));
}

std::optional<double> fpr_at_95_tpr(const NoveltyRanking& ranking, Positive positive) {
  if (ranking.one_sided()) {
    return std::nullopt;
  }
  const std::int64_t all = positives(ranking, positive);
  Counts found;
  sweep(ranking, positive, [&](const Counts& /*before*/, const Counts& now) {
    found = now;
    return 20 * now.positive < 19 * all;  // 95 % in whole numbers
  });
  return ranked_share(found.others, ranking.novel + ranking.known - all);
}

}  // namespace tyto
