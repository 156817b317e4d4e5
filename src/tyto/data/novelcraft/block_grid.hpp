// SPDX-License-Identifier: Apache-2.0
// A block world as rays see it: one layer of cells, each with a column that stands on the ground.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct Block {
  std::string name;          // "minecraft:log"
  std::string variant = {};  // "jungle", or none

  bool operator==(const Block&) const = default;
};

inline constexpr std::string_view kAir = "minecraft:air";

// How high a column of this block is, in cells: 0 for air, 5 for the trunk of a tree, 3 for the
// walls round the world, 2 for who walks about in it, 1 for all else.
double block_height(std::string_view name);

// The block that makes a class of NovelCraft what it is: item_x is minecraft:x, fence is
// minecraft:fence, tree_easy a jungle log. None: the class has no such block.
std::optional<Block> novel_block_of(std::string_view class_name);

// Cells [x0, x0 + width) by [z0, z0 + depth), centred at whole numbers as the game counts them.
class BlockGrid {
 public:
  using Kind = std::uint16_t;
  static constexpr Kind kNone = 0;  // air

  BlockGrid(Index x0, Index z0, Index width, Index depth, Index level = 4);

  // Throws Error(data) for a cell outside, naming it.
  void put(Index x, Index z, const Block& block);
  [[nodiscard]] const Block& block(Index x, Index z) const;

  [[nodiscard]] bool holds(Index x, Index z) const {
    return x >= x0_ && z >= z0_ && x < x0_ + width_ && z < z0_ + depth_;
  }

  // The number of a block among `kinds`; none where no cell ever had it.
  [[nodiscard]] std::optional<Kind> find(const Block& block) const;

  [[nodiscard]] const std::vector<Block>& kinds() const { return kinds_; }

  [[nodiscard]] Index x0() const { return x0_; }

  [[nodiscard]] Index z0() const { return z0_; }

  [[nodiscard]] Index width() const { return width_; }

  [[nodiscard]] Index depth() const { return depth_; }

  [[nodiscard]] Index level() const { return level_; }  // y of every cell

  // By place counted from the corner.
  [[nodiscard]] Kind kind_at(Index i, Index k) const { return cells_[at(k * width_ + i)]; }

  [[nodiscard]] double height_of(Kind kind) const { return heights_[kind]; }

 private:
  void expect(Index x, Index z) const;

  Index x0_, z0_, width_, depth_, level_;
  std::vector<Kind> cells_;
  std::vector<Block> kinds_;
  std::vector<double> heights_;  // of the kinds
};

}  // namespace tyto
