// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/blocks/block_game.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tyto {

namespace {

constexpr Index kEasyLogs = 2;  // besides the one that every tree gives
constexpr double kSaplingChance = 0.3;
constexpr double kCollectChance = 0.6;  // that the sap is there
// That a stranger acts in a step.
constexpr double kGiftChance = 0.2, kTheftChance = 0.1;
constexpr std::string_view kSapling = "minecraft:sapling";

struct CraftRecipe {
  std::string_view made;
  Index count;
  std::vector<HeldItem> of;
  bool at_table;
};

const std::vector<CraftRecipe>& block_recipes() {
  static const std::vector<CraftRecipe> recipes{
      {kPlanks, 4, {{std::string(kLog), 1}}, false},
      {kStick, 4, {{std::string(kPlanks), 2}}, false},
      {kTap, 1, {{std::string(kPlanks), 5}, {std::string(kStick), 1}}, true},
      {kPogo,
       1,
       {{std::string(kPlanks), 2}, {std::string(kStick), 4}, {std::string(kSack), 1}},
       true}};
  return recipes;
}

// What a command costs, in the game's own unit.
double cost_of(std::string_view command) {
  constexpr std::array<std::pair<std::string_view, double>, 6> kCosts{{{"MOVE", 27.906975},
                                                                       {"TURN", 24},
                                                                       {"BREAK_BLOCK", 3600},
                                                                       {"CRAFT", 1200},
                                                                       {"PLACE_TREE_TAP", 300},
                                                                       {"COLLECT", 50000}}};
  for (const auto& [name, cost] : kCosts) {
    if (name == command) {
      return cost;
    }
  }
  return 0;
}

}  // namespace

BlockPlace step_towards(BlockPlace from, Index facing) {
  constexpr std::array<std::array<Index, 2>, 4> kWays{{{0, 1}, {-1, 0}, {0, -1}, {1, 0}}};
  return {from.x + kWays[at(facing)][0], from.z + kWays[at(facing)][1]};
}

BlockGame::BlockGame(BlockGrid grid, BlockPlace start, Index facing, BlockNovelty novelty,
                     BlockPlace stranger, Rng rng)
    : grid_(std::move(grid)),
      place_(start),
      facing_(facing),
      novelty_(novelty),
      stranger_(stranger),
      rng_(rng) {
  change("minecraft:iron_pickaxe", 1);
  change("polycraft:key", 1);
  change("minecraft:diamond", rng_.below(4));
  if (has_stranger()) {
    grid_.put(stranger_.x, stranger_.z, {"entity:EntityPogoist"});
  }
  outcome_ = {{"RESET", ""}, true, "", 0};
}

Index BlockGame::held(std::string_view item) const {
  const auto found = std::find_if(inventory_.begin(), inventory_.end(),
                                  [&](const HeldItem& one) { return one.name == item; });
  return found == inventory_.end() ? 0 : found->count;
}

// Slots keep their order; one that is empty goes.
void BlockGame::change(std::string_view item, Index by) {
  const auto found = std::find_if(inventory_.begin(), inventory_.end(),
                                  [&](const HeldItem& one) { return one.name == item; });
  if (found == inventory_.end()) {
    if (by > 0) {
      inventory_.push_back({std::string(item), by});
    }
    return;
  }
  found->count += by;
  if (found->count <= 0) {
    if (selected_ == found->name) {
      selected_.clear();
    }
    inventory_.erase(found);
  }
}

Camera BlockGame::camera() const {
  return {static_cast<double>(place_.x), static_cast<double>(grid_.level()),
          static_cast<double>(place_.z), 90.0 * static_cast<double>(facing_), 0};
}

bool BlockGame::is_near(std::string_view block) const {
  for (Index facing = 0; facing < 4; ++facing) {
    const BlockPlace beside = step_towards(place_, facing);
    if (grid_.block(beside.x, beside.z).name == block) {
      return true;
    }
  }
  return false;
}

void BlockGame::act(const BlockCommand& command) {
  ++step_;
  const std::string why_not = try_to(command);
  outcome_ = {command, why_not.empty(), why_not, cost_of(command.name)};
  if (has_stranger()) {
    meet_stranger();
  }
}

std::string BlockGame::try_to(const BlockCommand& command) {
  const Block& ahead = grid_.block(front().x, front().z);
  if (command.name == "MOVE") {
    if (ahead.name != kAir) {
      return "Block in path";
    }
    place_ = front();
  } else if (command.name == "TURN") {
    facing_ = (facing_ + (command.argument == "90" ? 1 : 3)) % 4;
  } else if (command.name == "BREAK_BLOCK") {
    return break_block();
  } else if (command.name == "CRAFT") {
    return craft(command.argument);
  } else if (command.name == "PLACE_TREE_TAP") {
    return place_tap();
  } else if (command.name == "COLLECT") {
    if (ahead.name != kTap) {
      return "No tree tap in front";
    }
    if (rng_.uniform() >= kCollectChance) {
      return "Nothing to collect yet";
    }
    change(kSack, 1);
    selected_ = kSack;
  }
  return "";
}

std::string BlockGame::break_block() {
  const BlockPlace target = front();
  const Block broken = grid_.block(target.x, target.z);
  if (broken.name == kAir || broken.name == kBedrock || broken.name == kTable ||
      broken.name.starts_with("entity:")) {
    return "Block cannot be broken";
  }
  grid_.put(target.x, target.z, {std::string(kAir)});
  Index got = 1;
  if (broken.name == kLog) {
    if (novelty_ == BlockNovelty::easy_tree) {
      got += kEasyLogs;
    }
    if (rng_.uniform() < kSaplingChance) {
      change(kSapling, 1);
    }
  }
  change(broken.name, got);
  selected_ = broken.name;
  return "";
}

std::string BlockGame::craft(std::string_view item) {
  for (const CraftRecipe& recipe : block_recipes()) {
    if (recipe.made != item) {
      continue;
    }
    if (recipe.at_table && !is_near(kTable)) {
      return "Not at a crafting table";
    }
    for (const HeldItem& part : recipe.of) {
      if (held(part.name) < part.count) {
        return fmt::format("Not enough {}", part.name);
      }
    }
    for (const HeldItem& part : recipe.of) {
      change(part.name, -part.count);
    }
    change(recipe.made, recipe.count);
    selected_ = recipe.made;
    return "";
  }
  return "Unknown recipe";
}

std::string BlockGame::place_tap() {
  const BlockPlace target = front();
  if (held(kTap) < 1 || grid_.block(target.x, target.z).name != kAir) {
    return "Cannot place a tree tap here";
  }
  for (Index facing = 0; facing < 4; ++facing) {
    const BlockPlace beside = step_towards(target, facing);
    if (grid_.block(beside.x, beside.z).name == kLog) {
      change(kTap, -1);
      grid_.put(target.x, target.z, {std::string(kTap)});
      return "";
    }
  }
  return "No log beside it";
}

// He acts from where he stands, now and then.
void BlockGame::meet_stranger() {
  if (rng_.uniform() >= (novelty_ == BlockNovelty::thief ? kTheftChance : kGiftChance)) {
    return;
  }
  if (novelty_ == BlockNovelty::supplier) {
    constexpr std::array<std::string_view, 3> kGifts{kLog, kPlanks, kStick};
    change(kGifts[at(rng_.below(3))], 1 + rng_.below(3));
    return;
  }
  std::vector<std::string> stolen;
  for (const HeldItem& item : inventory_) {
    if (item.name == kLog || item.name == kPlanks || item.name == kStick || item.name == kSapling ||
        item.name == "minecraft:diamond") {
      stolen.push_back(item.name);
    }
  }
  if (!stolen.empty()) {
    change(stolen[at(rng_.below(std::ssize(stolen)))], -1 - rng_.below(2));
  }
}

}  // namespace tyto
