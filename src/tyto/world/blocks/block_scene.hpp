// SPDX-License-Identifier: Apache-2.0
// Where an episode begins: walls, trees, a crafting table and, in episodes of a novelty, what is
// new.
#pragma once

#include "tyto/world/blocks/block_game.hpp"

namespace tyto {

constexpr Index kWorldSide = 32;  // cells

// `novel`: the block of an item's class; 1 to 3 of them, alone, in a row or beside the table.
// Otherwise it is not looked at.
BlockGame draw_block_game(BlockNovelty novelty, const Block& novel, const Rng& rng);

}  // namespace tyto
