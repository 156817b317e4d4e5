// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/detection/episode_moments.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tyto {

namespace {

constexpr std::size_t kPickedMisses = 2;

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double delay_of(const EpisodeMoments& at) {
  return static_cast<double>(at.alarm.value_or(at.frames) - *at.first_novel);
}

// Places of the episodes that are wanted, the least by `key` first, ties to the earlier.
template <class Wanted, class Key>
std::vector<std::size_t> ordered_episodes(const PhaseScores& scores, const Wanted& wanted,
                                          const Key& key) {
  std::vector<std::size_t> places;
  for (std::size_t e = 0; e < scores.rows.size(); ++e) {
    if (wanted(e)) {
      places.push_back(e);
    }
  }
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return places;
}

}  // namespace

EpisodeMoments episode_moments(const PhaseScores& scores, std::size_t episode, double threshold) {
  const std::vector<Index>& rows = scores.rows[episode];
  EpisodeMoments at;
  at.frames = std::ssize(rows);
  for (Index frame = 0; frame < at.frames; ++frame) {
    const auto row = static_cast<std::size_t>(rows[static_cast<std::size_t>(frame)]);
    if (scores.is_novel[row] != 0 && !at.first_novel) {
      at.first_novel = frame;
    }
    std::optional<Index>& moment = at.first_novel ? at.alarm : at.too_early;
    if (scores.score[row] >= threshold && !moment) {
      moment = frame;
    }
  }
  return at;
}

std::vector<TypeMoments> type_moments(const PhaseScores& scores, double threshold) {
  std::map<std::string, std::pair<TypeMoments, std::vector<double>>> types;  // with delays
  for (std::size_t e = 0; e < scores.rows.size(); ++e) {
    const ScoredEpisode& episode = scores.episodes.episodes[e];
    if (!episode.is_novel) {
      continue;
    }
    auto& [type, found] = types[scores.episodes.types[static_cast<std::size_t>(episode.type)].name];
    const EpisodeMoments at = episode_moments(scores, e, threshold);
    ++type.episodes;
    type.early += at.too_early ? 1 : 0;
    type.never += at.alarm ? 0 : 1;
    type.mean += delay_of(at);
    if (at.alarm) {
      found.push_back(delay_of(at));
    }
  }
  std::vector<TypeMoments> all;
  for (auto& [name, counted] : types) {
    auto& [type, found] = counted;
    type.type = name;
    type.mean /= static_cast<double>(type.episodes);
    if (!found.empty()) {
      type.median_found = middle_of(found);
    }
    all.push_back(type);
  }
  return all;
}

std::vector<PickedEpisode> picked_episodes(const JudgedArm& arm, double threshold) {
  const PhaseScores& scores = arm.test;
  std::vector<EpisodeMoments> at;
  for (std::size_t e = 0; e < scores.rows.size(); ++e) {
    at.push_back(episode_moments(scores, e, threshold));
  }
  const auto is_novel = [&](std::size_t e) { return at[e].first_novel.has_value(); };
  const auto whole = [&](std::size_t e) { return arm.episodes.whole[e]; };
  std::vector<PickedEpisode> picked;
  const auto pick = [&](std::size_t e, const char* why) {
    picked.push_back({scores.episode_id[e], why});
  };
  const auto misses = ordered_episodes(
      scores, [&](std::size_t e) { return is_novel(e) && !at[e].alarm; }, whole);
  const auto alarms = ordered_episodes(
      scores, [&](std::size_t e) { return !is_novel(e) && at[e].too_early; },
      [&](std::size_t e) { return std::pair(*at[e].too_early, -whole(e)); });
  const auto normal = ordered_episodes(
      scores, [&](std::size_t e) { return !is_novel(e); }, whole);
  if (!misses.empty()) {
    pick(misses.front(), "miss");
  }
  if (!alarms.empty()) {
    pick(alarms.front(), "false alarm");
  }
  if (!normal.empty()) {
    pick(normal[normal.size() / 2], "normal");
  }
  for (std::size_t t = 0; t < scores.episodes.types.size(); ++t) {
    const auto of_type = ordered_episodes(
        scores,
        [&](std::size_t e) {
          return is_novel(e) && scores.episodes.episodes[e].type == static_cast<Index>(t);
        },
        [&](std::size_t e) { return delay_of(at[e]); });
    if (!of_type.empty()) {
      pick(of_type[of_type.size() / 2], "type");
    }
  }
  for (std::size_t i = 1; i < std::min(misses.size(), kPickedMisses); ++i) {
    pick(misses[i], "miss");
  }
  return picked;
}

}  // namespace tyto
