// SPDX-License-Identifier: Apache-2.0
// Somebody who wants a pogo stick: logs, planks, sticks, a tree tap, its sap, and the stick itself.
#pragma once

#include <optional>

#include "tyto/world/blocks/block_game.hpp"

namespace tyto {

// What to do next, from what is held and seen alone, so that gifts and thefts change the plan.
// None: nothing that can be done leads on.
std::optional<BlockCommand> next_command(const BlockGame& game);

}  // namespace tyto
