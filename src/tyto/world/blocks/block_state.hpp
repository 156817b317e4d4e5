// SPDX-License-Identifier: Apache-2.0
// The state of a block world as JSON, with the keys of NovelCraft.
#pragma once

#include <string>

#include "tyto/world/blocks/block_game.hpp"

namespace tyto {

// `told`: where the player's sensors say he is; the camera of the game where they are exact.
// `over`: it is the last state of its episode.
std::string block_state_json(const BlockGame& game, const Camera& told, bool over);

}  // namespace tyto
