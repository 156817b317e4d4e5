// SPDX-License-Identifier: Apache-2.0
// Episodes of scored frames: which are novel, how new each is as a whole, and how long it takes
// until an alarm.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tyto/core/csv/csv.hpp"
#include "tyto/measure/detection/over_frames.hpp"

namespace tyto {

// A kind of episode. Its episodes are numbered in the order they were played, and the novelty
// comes in at one of them and stays.
struct EpisodeType {
  std::string name;
  Index first_novel = -1;  // number of the first episode with the novelty; -1: none has it
};

// Columns `class` and `first_novel_episode`; a column whose name begins with `used` leaves out the
// types with a 0 there. Throws Error(data) for a type listed twice.
struct EpisodeTypes {
  std::vector<EpisodeType> used;
  std::vector<std::string> left_out;
};

EpisodeTypes read_episode_types(const CsvTable& csv);

struct ScoredEpisode {
  Index type = 0, number = 0;
  bool is_novel = false;
  std::vector<double> score;  // by frame
};

struct ScoredEpisodes {
  std::vector<EpisodeType> types;
  std::vector<ScoredEpisode> episodes;  // in the order of the file
  Index filled = 0;                     // frames that no row told of
  Index rows_left_out = 0;              // of types that are not used
};

enum class MissingFrames { zero, skip };  // as published: the score of a missing frame is 0

// Columns `class`, `episode`, `frame` and the one of the score. Throws Error(data) naming the line
// of a frame that comes twice, of a class that `types` does not know, or of a score that is not a
// number.
ScoredEpisodes read_scored_episodes(const CsvTable& csv, std::span<const Index> rows,
                                    std::string_view score, const EpisodeTypes& types,
                                    MissingFrames missing);

// Episodes by the column `episode` alone, whatever their class, frames in the order of the column
// `frame`. One is novel where one of its rows is (`is_novel`, by place in `rows`), of the type that
// the column `class`, where there is one, has at its first novel frame. Frames that no row tells of
// are left out. Throws Error(data) as above.
struct GroupedEpisodes {
  ScoredEpisodes episodes;
  Index late = 0;  // novel ones whose first frame is normal
};

GroupedEpisodes read_grouped_episodes(const CsvTable& csv, std::span<const Index> rows,
                                      std::string_view score,
                                      std::span<const std::uint8_t> is_novel);

std::vector<Index> all_rows(const CsvTable& csv);

// The greatest evidence of all frames but the last, as published; of an episode of one frame, that
// frame's.
double episode_score(std::span<const double> evidence);

// Frames before the first at which the evidence reaches the threshold, the last frame included;
// missing where none does.
std::optional<Index> detection_moment(std::span<const double> evidence, double threshold);

struct TypeDelay {
  std::string type;
  Index episodes = 0, undetected = 0;  // novel ones
  double mean = 0;                     // frames; an episode never detected counts its length
  std::optional<double> median_detected;
};

struct EpisodeDelays {
  std::vector<TypeDelay> types;  // those with novel episodes
  double published = 0;    // the means of types, over all types: those without novelty count 0
  double over_types = 0;   // the means of types, over these
  double per_episode = 0;  // over all novel episodes
  Index undetected = 0;
};

// `evidence` by episode. Missing where no episode is novel.
std::optional<EpisodeDelays> detection_delays(const ScoredEpisodes& episodes,
                                              std::span<const std::vector<double>> evidence,
                                              double threshold);

}  // namespace tyto
