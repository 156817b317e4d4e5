// SPDX-License-Identifier: Apache-2.0
// The state of a block world after a step, as NovelCraft writes it: <class>/<episode>/<frame>.json.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tyto/data/novelcraft/ray_cast.hpp"

namespace tyto {

// A state has some 62 kB; what is above this is none, and is not read.
inline constexpr Index kMostStateBytes = Index{8} << 20;

// What a state holds at the top.
inline constexpr std::array<std::string_view, 10> kStateKeys{
    "blockInFront", "inventory", "player",         "destinationPos", "entities",
    "map",          "goal",      "command_result", "step",           "gameOver"};

enum class StatePart { all, without_map };  // the map is nine tenths of a state

// Throws Error naming the file: larger than kMostStateBytes, with its size; not JSON, with the
// place; not a map of keys.
nlohmann::json read_state_file(const std::filesystem::path& file, StatePart part = StatePart::all);

// Keys at the top that are not of kStateKeys.
std::vector<std::string> unknown_state_keys(const nlohmann::json& state);

struct BlockScene {
  BlockGrid grid;
  Camera camera;
};

// The scene a state tells of: the cells of its map, who is in it (the cell of an entity has the
// block "entity:<type>"), and the player. `file` is named in messages. Throws Error(data) where the
// map is empty, has a cell that is not x,y,z, or has cells at two heights; and where it, the name
// of a cell or the player is missing.
BlockScene scene_of(const nlohmann::json& state, const std::string& file);

}  // namespace tyto
