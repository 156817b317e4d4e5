// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/episode_split.hpp"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

// Episodes of each part.
std::vector<Index> episodes_of_parts(Index episodes, const std::vector<double>& shares) {
  std::vector<Index> counts{episodes};
  for (std::size_t part = 1; part < shares.size(); ++part) {
    // 0.1 * 10 is 1 in the reals; the product may land a rounding above it.
    counts.push_back(
        static_cast<Index>(std::ceil(shares[part] * static_cast<double>(episodes) - 1e-9)));
    counts.front() -= counts.back();
  }
  return counts;
}

}  // namespace

EpisodeSplit split_episodes(std::span<const Index> frames, const EpisodeSplitOptions& options,
                            Rng rng) {
  double sum = 0.0;
  for (const double share : options.shares) {
    sum += share;
    if (!(share > 0.0)) {
      throw Error(ErrorKind::config,
                  fmt::format("a share of a split is to be above 0, but is {}", share));
    }
  }
  if (std::abs(sum - 1.0) > 1e-9 || options.tries < 1) {
    throw Error(ErrorKind::config,
                fmt::format("the shares of a split add up to {} in {} tries; they are to add up to "
                            "1 in one try or more",
                            sum, options.tries));
  }
  const auto episodes = static_cast<Index>(frames.size());
  const Index all = std::accumulate(frames.begin(), frames.end(), Index{0});
  const std::vector<Index> counts = episodes_of_parts(episodes, options.shares);
  if (counts.front() < 1 || all < 1) {
    throw Error(ErrorKind::data,
                fmt::format("{} episodes with {} frames cannot be dealt to {} parts", episodes, all,
                            counts.size()));
  }
  EpisodeSplit best;
  for (Index attempt = 0; attempt < options.tries; ++attempt) {
    const std::vector<Index> order = rng.permutation(episodes);
    EpisodeSplit made{std::vector<Index>(frames.size()), 0.0};
    std::size_t next = 0;
    for (std::size_t part = 0; part < counts.size(); ++part) {
      Index got = 0;
      for (Index i = 0; i < counts[part]; ++i) {
        const auto episode = static_cast<std::size_t>(order[next++]);
        made.part[episode] = static_cast<Index>(part);
        got += frames[episode];
      }
      made.error += std::abs(1.0 - static_cast<double>(got) /
                                       (options.shares[part] * static_cast<double>(all)));
    }
    if (attempt == 0 || made.error < best.error) {
      best = std::move(made);
    }
  }
  return best;
}

}  // namespace tyto
