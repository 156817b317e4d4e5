// SPDX-License-Identifier: Apache-2.0
// The rules of a small block world: what commands do, and how each novelty changes that.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/data/novelcraft/block_grid.hpp"
#include "tyto/data/novelcraft/ray_cast.hpp"

namespace tyto {

// item       blocks that are in nobody's way, but to be seen
// fence      stands round every tree, and has to be broken first
// easy_tree  gives several logs at once
// supplier   somebody who hands over what one has not earned
// thief      somebody who takes away what one has
enum class BlockNovelty { none, item, fence, easy_tree, supplier, thief };

struct BlockPlace {
  Index x = 0, z = 0;

  bool operator==(const BlockPlace&) const = default;
};

// Quarters of a turn: south (+z), west (-x), north, east; times 90 the yaw.
inline constexpr std::array<std::string_view, 4> kFacings{"SOUTH", "WEST", "NORTH", "EAST"};
BlockPlace step_towards(BlockPlace from, Index facing);

struct BlockCommand {
  std::string name, argument = {};
};

struct CommandOutcome {
  BlockCommand command;
  bool success = true;
  std::string message = {};
  double cost = 0;
};

struct HeldItem {
  std::string name;
  Index count = 0;
};

inline constexpr std::string_view kLog = "minecraft:log", kPlanks = "minecraft:planks",
                                  kStick = "minecraft:stick", kTap = "polycraft:tree_tap",
                                  kSack = "polycraft:sack_polyisoprene_pellets",
                                  kPogo = "polycraft:wooden_pogo_stick",
                                  kTable = "minecraft:crafting_table", kFence = "minecraft:fence",
                                  kBedrock = "minecraft:bedrock";

class BlockGame {
 public:
  // `stranger`: where a supplier or thief stands.
  BlockGame(BlockGrid grid, BlockPlace start, Index facing, BlockNovelty novelty,
            BlockPlace stranger, Rng rng);

  // MOVE, TURN 90 or -90, BREAK_BLOCK, CRAFT item, PLACE_TREE_TAP, COLLECT, NOP; what cannot be
  // done fails with a message and changes nothing but the step.
  void act(const BlockCommand& command);

  [[nodiscard]] Index held(std::string_view item) const;

  [[nodiscard]] const std::vector<HeldItem>& inventory() const { return inventory_; }

  [[nodiscard]] const std::string& selected() const { return selected_; }  // "": nothing

  [[nodiscard]] const BlockGrid& grid() const { return grid_; }  // with who is in it

  [[nodiscard]] BlockPlace place() const { return place_; }

  [[nodiscard]] Index facing() const { return facing_; }

  [[nodiscard]] BlockPlace front() const { return step_towards(place_, facing_); }

  [[nodiscard]] Camera camera() const;

  [[nodiscard]] bool has_stranger() const {
    return novelty_ == BlockNovelty::supplier || novelty_ == BlockNovelty::thief;
  }

  [[nodiscard]] BlockPlace stranger() const { return stranger_; }

  [[nodiscard]] BlockNovelty novelty() const { return novelty_; }

  [[nodiscard]] const CommandOutcome& outcome() const { return outcome_; }

  [[nodiscard]] Index step() const { return step_; }

  [[nodiscard]] bool is_won() const { return held(kPogo) > 0; }

 private:
  void change(std::string_view item, Index by);
  bool is_near(std::string_view block) const;
  std::string try_to(const BlockCommand& command);  // why not; "": done
  std::string break_block();
  std::string craft(std::string_view item);
  std::string place_tap();
  void meet_stranger();

  BlockGrid grid_;
  BlockPlace place_;
  Index facing_;
  BlockNovelty novelty_;
  BlockPlace stranger_;
  Rng rng_;
  std::vector<HeldItem> inventory_;
  std::string selected_;
  CommandOutcome outcome_;
  Index step_ = 0;
};

}  // namespace tyto
