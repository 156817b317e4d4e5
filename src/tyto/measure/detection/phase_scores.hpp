// SPDX-License-Identifier: Apache-2.0
// The novelty scores of a recorded phase, sample by sample and episode by episode.
#pragma once

#include <string>
#include <vector>

#include "tyto/measure/detection/episodes.hpp"
#include "tyto/measure/phase_view.hpp"

namespace tyto {

struct PhaseScores {
  std::vector<double> score;            // in the order of the phase
  std::vector<std::uint8_t> is_novel;   // of a class the predictor was not taught
  ScoredEpisodes episodes;              // none where the data name no groups
  std::vector<std::string> episode_id;  // the group's name, by episode
  // By episode and frame: the row of the phase.
  std::vector<std::vector<Index>> rows;

  [[nodiscard]] bool empty() const { return score.empty(); }

  [[nodiscard]] std::vector<double> normal_scores() const;
};

// An episode is a group of samples, in the order of their times where the data have these. It is
// novel, of the type of its first novel sample, where one of its samples is; else of the type
// "normal". Nothing where no novelty was recorded.
PhaseScores phase_scores(const PhaseView& view, const Truth& truth);

// Evidence of each episode, frames compared with `normal` ones where that is needed, and the score
// of each as a whole.
struct EpisodeEvidence {
  std::vector<std::vector<double>> by_frame;
  std::vector<double> whole;
  std::vector<std::uint8_t> is_novel;
};

EpisodeEvidence episode_evidence(const PhaseScores& scores, const OverFramesOptions& how,
                                 std::span<const double> normal);

}  // namespace tyto
