// SPDX-License-Identifier: Apache-2.0
// Episodes frame by frame: when each is noticed, and which of them are worth a look.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tyto/report/page/detection/judged_arm.hpp"

namespace tyto {

struct EpisodeMoments {
  Index frames = 0;
  std::optional<Index> first_novel;  // frame of the first novel sample, from 0
  std::optional<Index> alarm;        // first frame at or above the threshold, from first_novel on
  std::optional<Index> too_early;    // the same before first_novel: a false alarm
};

// Of one episode, by its place. Of a normal one every alarm is too early.
EpisodeMoments episode_moments(const PhaseScores& scores, std::size_t episode, double threshold);

// How long novel episodes of one type go on unnoticed. Where the novelty is there from the first
// frame on, as in detection_delays.
struct TypeMoments {
  std::string type;
  Index episodes = 0;
  Index never = 0, early = 0;          // without an alarm; with one before the novelty came
  double mean = 0;                     // frames; one never noticed counts those it had left
  std::optional<double> median_found;  // of those with an alarm
};

std::vector<TypeMoments> type_moments(const PhaseScores& scores, double threshold);

// Why an episode is shown: "miss" the least new of the novel ones without an alarm, "false alarm"
// the earliest one, "normal" the middle one by score, "type" the one of middle delay of its type.
struct PickedEpisode {
  std::string id, why;
};

// The most telling first; an episode may be picked for several reasons. Ties to the earlier.
std::vector<PickedEpisode> picked_episodes(const JudgedArm& arm, double threshold);

}  // namespace tyto
