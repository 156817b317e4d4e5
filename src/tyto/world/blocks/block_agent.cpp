// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/blocks/block_agent.hpp"

#include <deque>
#include <functional>

namespace tyto {

namespace {

// What the tap and the pogo stick take.
constexpr Index kTapPlanks = 5, kTapSticks = 1, kPogoPlanks = 2, kPogoSticks = 4;

using Goal = std::function<bool(BlockPlace stand, BlockPlace ahead)>;

// The first command of a shortest way to a place and direction that fit: a breadth-first search
// over both. Empty: it stands so already. None: there is no way.
std::optional<BlockCommand> way_to(const BlockGame& game, const Goal& goal) {
  const BlockGrid& grid = game.grid();

  struct Node {
    BlockPlace place;
    Index facing;
    int first;  // 0 none, 1 MOVE, 2 TURN 90, 3 TURN -90
  };

  const auto number = [&](BlockPlace p, Index f) {
    return at(((p.z - grid.z0()) * grid.width() + p.x - grid.x0()) * 4 + f);
  };
  std::vector<bool> seen(at(grid.width() * grid.depth() * 4), false);
  std::deque<Node> open{{game.place(), game.facing(), 0}};
  seen[number(game.place(), game.facing())] = true;
  while (!open.empty()) {
    const Node node = open.front();
    open.pop_front();
    const BlockPlace ahead = step_towards(node.place, node.facing);
    if (goal(node.place, ahead)) {
      return node.first == 0   ? BlockCommand{""}
             : node.first == 1 ? BlockCommand{"MOVE", "w"}
                               : BlockCommand{"TURN", node.first == 2 ? "90" : "-90"};
    }
    const auto visit = [&](BlockPlace place, Index facing, int command) {
      if (!seen[number(place, facing)]) {
        seen[number(place, facing)] = true;
        open.push_back({place, facing, node.first == 0 ? command : node.first});
      }
    };
    if (grid.block(ahead.x, ahead.z).name == kAir) {
      visit(ahead, node.facing, 1);
    }
    visit(node.place, (node.facing + 1) % 4, 2);
    visit(node.place, (node.facing + 3) % 4, 3);
  }
  return std::nullopt;
}

// Goes where `goal` holds and does `then` there.
std::optional<BlockCommand> do_at(const BlockGame& game, const Goal& goal, BlockCommand then) {
  const auto way = way_to(game, goal);
  return way && way->name.empty() ? std::optional(std::move(then)) : way;
}

bool has_log_beside(const BlockGrid& grid, BlockPlace place) {
  for (Index facing = 0; facing < 4; ++facing) {
    const BlockPlace beside = step_towards(place, facing);
    if (grid.holds(beside.x, beside.z) && grid.block(beside.x, beside.z).name == kLog) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<BlockCommand> next_command(const BlockGame& game) {
  const BlockGrid& grid = game.grid();
  const auto ahead_is = [&grid](std::string_view name) {
    return [&grid, name](BlockPlace, BlockPlace ahead) {
      return grid.block(ahead.x, ahead.z).name == name;
    };
  };
  // A tree, or the fence before one.
  const auto break_one = [&](std::string_view name) {
    return do_at(game, ahead_is(name), {"BREAK_BLOCK"});
  };
  const auto gather = [&] {
    const auto tree = break_one(kLog);
    return tree ? tree : break_one(kFence);
  };
  const bool tap_stands = [&] {
    const auto kind = grid.find({std::string(kTap)});
    if (kind) {
      for (Index i = 0; i < grid.width() * grid.depth(); ++i) {
        if (grid.kind_at(i % grid.width(), i / grid.width()) == *kind) {
          return true;
        }
      }
    }
    return false;
  }();
  const bool has_sack = game.held(kSack) > 0;
  const bool needs_tap = !has_sack && !tap_stands && game.held(kTap) == 0;
  const Index sticks = kPogoSticks + (needs_tap ? kTapSticks : 0);
  const Index planks = kPogoPlanks + (needs_tap ? kTapPlanks : 0);
  const BlockCommand craft_planks{"CRAFT", std::string(kPlanks)};
  if (game.held(kStick) < sticks && game.held(kPlanks) >= 2) {
    return BlockCommand{"CRAFT", std::string(kStick)};
  }
  if (game.held(kStick) < sticks || game.held(kPlanks) < planks) {
    return game.held(kLog) > 0 ? std::optional(craft_planks) : gather();
  }
  if (needs_tap) {
    return do_at(game, ahead_is(kTable), {"CRAFT", std::string(kTap)});
  }
  if (has_sack) {
    return do_at(game, ahead_is(kTable), {"CRAFT", std::string(kPogo)});
  }
  if (tap_stands) {
    return do_at(game, ahead_is(kTap), {"COLLECT", std::string(kTap)});
  }
  const auto beside_tree = [&grid](BlockPlace, BlockPlace ahead) {
    return grid.block(ahead.x, ahead.z).name == kAir && has_log_beside(grid, ahead);
  };
  const auto place = do_at(game, beside_tree, {"PLACE_TREE_TAP"});
  return place ? place : break_one(kFence);
}

}  // namespace tyto
