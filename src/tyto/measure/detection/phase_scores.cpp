// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/detection/phase_scores.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tyto {

namespace {

constexpr std::string_view kNormalType = "normal";

struct EpisodeRows {
  std::string id, type;
  bool is_novel = false;
  std::vector<Index> rows;
};

// Groups as the data name them; a group may hold frames of a normal and of a novel class (an object
// that comes into sight), and then it is one episode of the novel kind.
std::vector<EpisodeRows> episodes_of(const PhaseView& view, const Truth& truth) {
  std::map<std::string_view, std::size_t> place;
  std::vector<EpisodeRows> episodes;
  for (Index i = 0; i < view.size(); ++i) {
    const std::string& group = truth.group[static_cast<std::size_t>(view.sample[at(i)])];
    const auto [entry, is_new] = place.try_emplace(group, episodes.size());
    if (is_new) {
      episodes.push_back({group, std::string(kNormalType), false, {}});
    }
    EpisodeRows& episode = episodes[entry->second];
    if (view.is_novel[at(i)] != 0 && !episode.is_novel) {
      episode.is_novel = true;
      episode.type = view.actual_name(i);
    }
    episode.rows.push_back(i);
  }
  if (!truth.time.empty()) {
    for (EpisodeRows& episode : episodes) {
      std::stable_sort(episode.rows.begin(), episode.rows.end(), [&](Index a, Index b) {
        return truth.time[static_cast<std::size_t>(view.sample[at(a)])] <
               truth.time[static_cast<std::size_t>(view.sample[at(b)])];
      });
    }
  }
  return episodes;
}

}  // namespace

std::vector<double> PhaseScores::normal_scores() const {
  std::vector<double> normal;
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (is_novel[i] == 0) {
      normal.push_back(score[i]);
    }
  }
  return normal;
}

PhaseScores phase_scores(const PhaseView& view, const Truth& truth) {
  PhaseScores out;
  if (view.novelty.empty()) {
    return out;
  }
  out.score.assign(view.novelty.begin(), view.novelty.end());
  out.is_novel.assign(view.is_novel.begin(), view.is_novel.end());
  const bool grouped = std::any_of(truth.group.begin(), truth.group.end(),
                                   [](const std::string& name) { return !name.empty(); });
  if (!grouped) {
    return out;
  }
  std::map<std::string, Index> type;
  for (EpisodeRows& episode : episodes_of(view, truth)) {
    const auto [entry, is_new] = type.try_emplace(episode.type, std::ssize(out.episodes.types));
    if (is_new) {
      out.episodes.types.push_back({episode.type, episode.is_novel ? Index{0} : Index{-1}});
    }
    ScoredEpisode scored{entry->second, std::ssize(out.episodes.episodes), episode.is_novel, {}};
    for (const Index row : episode.rows) {
      scored.score.push_back(out.score[at(row)]);
    }
    out.episodes.episodes.push_back(std::move(scored));
    out.episode_id.push_back(std::move(episode.id));
    out.rows.push_back(std::move(episode.rows));
  }
  return out;
}

EpisodeEvidence episode_evidence(const PhaseScores& scores, const OverFramesOptions& how,
                                 std::span<const double> normal) {
  const FrameEvidence evidence(how, normal);
  EpisodeEvidence out;
  for (const ScoredEpisode& episode : scores.episodes.episodes) {
    out.by_frame.push_back(evidence.of(episode.score));
    out.whole.push_back(episode_score(out.by_frame.back()));
    out.is_novel.push_back(episode.is_novel ? 1 : 0);
  }
  return out;
}

}  // namespace tyto
