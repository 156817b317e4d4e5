// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/detection/timelines.hpp"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "tyto/report/page/json.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostTimelines = 24;  // of a page
constexpr std::size_t kFewestOfRun = 4;
constexpr Index kMostFrames = 500;  // that are drawn of an episode

// The greatest of so many frames at a time: what raises an alarm stays in sight.
Json drawn_scores(const PhaseScores& scores, std::size_t episode, Index every) {
  const std::vector<double>& frames = scores.episodes.episodes[episode].score;
  Json values = Json::array();
  for (std::size_t i = 0; i < frames.size(); i += static_cast<std::size_t>(every)) {
    const std::size_t end = std::min(frames.size(), i + static_cast<std::size_t>(every));
    values.push_back(
        json_number(*std::max_element(frames.begin() + static_cast<std::ptrdiff_t>(i),
                                      frames.begin() + static_cast<std::ptrdiff_t>(end))));
  }
  return values;
}

std::string drawn_kinds(const PhaseScores& scores, std::size_t episode, Index every) {
  const std::vector<Index>& rows = scores.rows[episode];
  std::string kinds;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % static_cast<std::size_t>(every) == 0) {
      kinds += '0';
    }
    if (scores.is_novel[static_cast<std::size_t>(rows[i])] != 0) {
      kinds.back() = '1';
    }
  }
  return kinds;
}

Json episode_json(const PageSource& source, Index run, const PhaseScores& scores,
                  std::size_t episode, const std::vector<std::pair<std::string, Index>>& reasons) {
  const ScoredEpisode& one = scores.episodes.episodes[episode];
  const EpisodeMoments at =
      episode_moments(scores, episode, std::numeric_limits<double>::infinity());
  const Index every = (at.frames + kMostFrames - 1) / kMostFrames;
  Json why = Json::array();
  for (const auto& [reason, arm] : reasons) {
    why.push_back(Json::array({reason, arm}));
  }
  const std::string& type = scores.episodes.types[static_cast<std::size_t>(one.type)].name;
  return {{"run", run},
          {"id", scores.episode_id[episode]},
          {"type", one.is_novel ? Json(source.name(type)) : Json()},
          {"why", std::move(why)},
          {"frames", at.frames},
          {"every", every},
          {"first_novel", at.first_novel ? Json(*at.first_novel) : Json()},
          {"novel", drawn_kinds(scores, episode, every)},
          {"scores", Json::array()}};
}

}  // namespace

void Timelines::add(const PageArm& arm, const JudgedArm& judged, double threshold) {
  runs_[source_.run_of(arm).number].push_back({&arm, picked_episodes(judged, threshold)});
}

Timelines::Chosen Timelines::chosen(const std::vector<OfArm>& arms, std::size_t most) {
  Chosen out;
  std::size_t longest = 0;
  for (const OfArm& one : arms) {
    longest = std::max(longest, one.picked.size());
  }
  for (std::size_t rank = 0; rank < longest; ++rank) {
    for (const OfArm& one : arms) {
      if (rank >= one.picked.size()) {
        continue;
      }
      const PickedEpisode& wish = one.picked[rank];
      auto found = std::find_if(out.begin(), out.end(),
                                [&](const auto& entry) { return entry.first == wish.id; });
      if (found == out.end()) {
        if (out.size() >= most) {
          continue;
        }
        out.push_back({wish.id, {}});
        found = std::prev(out.end());
      }
      found->second.emplace_back(wish.why, one.arm->number);
    }
  }
  return out;
}

Json Timelines::json(Progress& progress) const {
  Json all = Json::array();
  const std::size_t most =
      std::max(kFewestOfRun, kMostTimelines / std::max<std::size_t>(1, runs_.size()));
  for (const auto& [run, arms] : runs_) {
    const Chosen episodes = chosen(arms, most);
    std::vector<Json> told(episodes.size());
    for (const OfArm& one : arms) {
      progress.pulse();
      const PhaseScores scores = detection_scores(*one.arm->seeds.front().record, "test");
      for (std::size_t i = 0; i < episodes.size(); ++i) {
        const auto found =
            std::find(scores.episode_id.begin(), scores.episode_id.end(), episodes[i].first);
        if (found == scores.episode_id.end()) {
          continue;
        }
        const auto episode = static_cast<std::size_t>(found - scores.episode_id.begin());
        if (told[i].is_null()) {
          told[i] = episode_json(source_, run, scores, episode, episodes[i].second);
        }
        const Index every = told[i].at("every").get<Index>();
        told[i]["scores"].push_back(
            {{"arm", one.arm->number}, {"values", drawn_scores(scores, episode, every)}});
      }
    }
    for (Json& one : told) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace tyto
