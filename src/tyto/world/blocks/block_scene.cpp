// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/blocks/block_scene.hpp"

#include <algorithm>
#include <cmath>

namespace tyto {

namespace {

constexpr Index kTrees = 6;
constexpr Index kGrove = 5;  // how far from its middle trees and table stand
constexpr Index kStartNear = 3, kStartFar = 6;
constexpr Index kItemNear = 3, kItemFar = 9;

class SceneDrawing {
 public:
  SceneDrawing(BlockNovelty novelty, const Block& novel, Rng rng)
      : novelty_(novelty), novel_(novel), rng_(rng), grid_(0, 0, kWorldSide, kWorldSide) {}

  BlockGame draw(const Rng& play) {
    for (Index i = 0; i < kWorldSide; ++i) {
      for (const Index edge : {Index{0}, kWorldSide - 1}) {
        grid_.put(i, edge, {std::string(kBedrock)});
        grid_.put(edge, i, {std::string(kBedrock)});
      }
    }
    const Index inner = kWorldSide - 2 * (kItemFar + 1);
    middle_ = {kItemFar + 1 + rng_.below(inner), kItemFar + 1 + rng_.below(inner)};
    plant_trees();
    table_ = free_place(1, kGrove, 2);
    grid_.put(table_.x, table_.z, {std::string(kTable)});
    if (novelty_ == BlockNovelty::item) {
      put_items();
    }
    const BlockPlace stranger = free_place(2, kGrove, 2);
    const BlockPlace start = free_place(kStartNear, kStartFar, 1);
    return {std::move(grid_), start, rng_.below(4), novelty_, stranger, play};
  }

 private:
  [[nodiscard]] bool is_free(BlockPlace place, Index margin) const {
    for (Index x = place.x - margin; x <= place.x + margin; ++x) {
      for (Index z = place.z - margin; z <= place.z + margin; ++z) {
        if (!grid_.holds(x, z) || grid_.block(x, z).name != kAir) {
          return false;
        }
      }
    }
    return true;
  }

  // Between two distances from the middle, with nothing within the margin; a smaller one where a
  // hundred draws find no place.
  BlockPlace free_place(Index near, Index far, Index margin) {
    for (Index attempt = 0;; ++attempt) {
      const BlockPlace place{middle_.x + rng_.below(2 * far + 1) - far,
                             middle_.z + rng_.below(2 * far + 1) - far};
      const Index distance = std::max(std::abs(place.x - middle_.x), std::abs(place.z - middle_.z));
      if (distance >= near && is_free(place, std::max<Index>(0, margin - attempt / 100))) {
        return place;
      }
    }
  }

  void plant_trees() {
    const Block tree{std::string(kLog), novelty_ == BlockNovelty::easy_tree ? "jungle" : "oak"};
    std::vector<BlockPlace> trees;
    for (Index i = 0; i < kTrees; ++i) {
      trees.push_back(free_place(0, kGrove, 2));
      grid_.put(trees.back().x, trees.back().z, tree);
    }
    if (novelty_ != BlockNovelty::fence) {
      return;
    }
    for (const BlockPlace& trunk : trees) {
      for (Index facing = 0; facing < 4; ++facing) {
        const BlockPlace beside = step_towards(trunk, facing);
        if (is_free(beside, 0)) {
          grid_.put(beside.x, beside.z, {std::string(kFence)});
        }
      }
    }
  }

  void put_items() {
    const Index count = 1 + rng_.below(3);
    const Index relation = rng_.below(3);
    BlockPlace place = free_place(kItemNear, kItemFar, 1);
    if (relation == 2) {
      const BlockPlace beside = step_towards(table_, rng_.below(4));
      place = is_free(beside, 0) ? beside : place;
    }
    const Index way = rng_.below(4);
    for (Index i = 0; i < count; ++i) {
      if (is_free(place, 0)) {
        grid_.put(place.x, place.z, novel_);
      }
      place = relation == 1 ? step_towards(place, way) : free_place(kItemNear, kItemFar, 1);
    }
  }

  BlockNovelty novelty_;
  const Block& novel_;
  Rng rng_;
  BlockGrid grid_;
  BlockPlace middle_, table_;
};

}  // namespace

BlockGame draw_block_game(BlockNovelty novelty, const Block& novel, const Rng& rng) {
  return SceneDrawing(novelty, novel, rng.fork("scene")).draw(rng.fork("play"));
}

}  // namespace tyto
