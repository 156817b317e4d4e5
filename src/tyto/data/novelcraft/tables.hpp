// SPDX-License-Identifier: Apache-2.0
// The tables of NovelCraft (Feeney et al., TMLR 2023), without a single picture: which frame shows
// how much of a novel object, which episode is in which split, and the counts that follow.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// A frame counts from this visible share of the novel block on; every frame of the class `normal`
// does.
inline constexpr double kNovelCraftVisible = 0.01;
inline constexpr std::string_view kNovelCraftNormal = "normal";

enum class NovelCraftRole { normal, novel_valid, novel_test, dropped };

struct NovelCraftEpisode {
  std::string split;  // "train", "validate" or "test"; "" where no frame counts or it is not used
  NovelCraftRole role = NovelCraftRole::normal;
  Index frames = 0;   // in all
  Index visible = 0;  // that count
};

using NovelCraftKey = std::pair<std::string, Index>;  // class, number of the episode

struct NovelCraftTables {
  std::map<std::string, NovelCraftRole> role;  // by class
  bool published_roles = false;                // there is no classes.csv
  std::map<NovelCraftKey, NovelCraftEpisode> episodes;
};

// "normal", "novel_valid", "novel_test" or "dropped".
std::string_view novelcraft_role_word(NovelCraftRole role);

// Of targets.csv, splits.csv and, where it is there, classes.csv: else the published roles, by
// which every class is new in test but the five normal ones, the five new in validation and
// item_bedrock, which is dropped. Throws Error(data) naming the line where an id is not
// class/episode/frame, comes twice, or is of a class without a role; or where splits.csv counts
// other frames than targets.csv.
NovelCraftTables read_novelcraft_tables(const std::filesystem::path& folder);

// "fence/21/11" in its three parts. Throws Error(data) with `place`.
struct NovelCraftId {
  std::string class_name;
  Index episode = 0, frame = 0;
};

NovelCraftId novelcraft_id(std::string_view text, const std::string& place);

// A row of the paper's Table 2.
struct NovelCraftCount {
  std::string split;  // "train", "validate", "test"
  bool is_novel = false;
  Index episodes = 0, with_visible = 0;       // all, and those with a frame that counts
  Index frames = 0, frames_with_visible = 0;  // of either
  Index visible = 0;                          // frames that count
};

std::vector<NovelCraftCount> novelcraft_splits(const NovelCraftTables& tables);

// A row of the paper's Table A.2: by class, episodes with a frame that counts, and such frames.
struct NovelCraftClassCount {
  std::string class_name;
  Index episodes = 0, visible = 0;
};

std::vector<NovelCraftClassCount> novelcraft_classes(const NovelCraftTables& tables);

}  // namespace tyto
