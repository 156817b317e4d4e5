// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/novelcraft/block_grid.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr std::string_view kItemClass = "item_";
// Items whose block is told by its variant too.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kItemVariants{
    {{"planks", "oak"},
     {"prismarine", "prismarine"},
     {"sand", "sand"},
     {"stone", "stone"},
     {"stonebrick", "stonebrick"}}};

}  // namespace

double block_height(std::string_view name) {
  if (name == kAir) {
    return 0;
  }
  if (name == "minecraft:log") {
    return 5;
  }
  if (name == "minecraft:bedrock") {
    return 3;
  }
  return name.starts_with("entity:") ? 2 : 1;
}

std::optional<Block> novel_block_of(std::string_view class_name) {
  if (class_name == "fence") {
    return Block{"minecraft:fence"};
  }
  if (class_name == "tree_easy") {
    return Block{"minecraft:log", "jungle"};
  }
  if (!class_name.starts_with(kItemClass) || class_name.size() == kItemClass.size()) {
    return std::nullopt;
  }
  const std::string_view item = class_name.substr(kItemClass.size());
  Block block{fmt::format("minecraft:{}", item)};
  for (const auto& [name, variant] : kItemVariants) {
    if (name == item) {
      block.variant = variant;
    }
  }
  return block;
}

BlockGrid::BlockGrid(Index x0, Index z0, Index width, Index depth, Index level)
    : x0_(x0),
      z0_(z0),
      width_(width),
      depth_(depth),
      level_(level),
      cells_(at(width * depth), kNone),
      kinds_{Block{std::string(kAir)}},
      heights_{0} {}

void BlockGrid::expect(Index x, Index z) const {
  if (!holds(x, z)) {
    throw Error(ErrorKind::data, fmt::format("the cell {},{} is outside the map, which has the "
                                             "cells {},{} to {},{}",
                                             x, z, x0_, z0_, x0_ + width_ - 1, z0_ + depth_ - 1));
  }
}

void BlockGrid::put(Index x, Index z, const Block& block) {
  expect(x, z);
  auto kind = find(block);
  if (!kind) {
    kind = static_cast<Kind>(kinds_.size());
    kinds_.push_back(block);
    heights_.push_back(block_height(block.name));
  }
  cells_[at((z - z0_) * width_ + x - x0_)] = *kind;
}

const Block& BlockGrid::block(Index x, Index z) const {
  expect(x, z);
  return kinds_[kind_at(x - x0_, z - z0_)];
}

std::optional<BlockGrid::Kind> BlockGrid::find(const Block& block) const {
  const auto found = std::find(kinds_.begin(), kinds_.end(), block);
  return found == kinds_.end() ? std::nullopt
                               : std::optional(static_cast<Kind>(found - kinds_.begin()));
}

}  // namespace tyto
