// SPDX-License-Identifier: Apache-2.0
// A block world as the player sees it, drawn by casting a ray per pixel.
#pragma once

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tyto/data/novelcraft/ray_cast.hpp"
#include "tyto/video/picture.hpp"
#include "tyto/world/blocks/block_game.hpp"

namespace tyto {

// Rows of the item bar in a picture of this many.
constexpr Index item_bar_rows(Index size) {
  return 22 * size / 256;
}

struct BlockView {
  Picture picture;
  Index novel_pixels = 0;  // whose first hit is the novel block; also below the item bar
};

// Draws scenes; keeps the textures of the blocks it has met. One thread at a time.
class BlockPainter {
 public:
  // `light`: how bright the day is, 1 is usual.
  BlockPainter(Index size, double light) : size_(size), light_(light) {}

  BlockView draw(const BlockGrid& grid, const Camera& camera, std::span<const HeldItem> inventory,
                 const Block& novel);

 private:
  static constexpr Index kTexels = 16;
  using Colour = std::array<float, 3>;
  using Texture = std::array<Colour, kTexels * kTexels>;

  const Texture& texture(const Block& block);
  void draw_item_bar(std::span<const HeldItem> inventory, Picture& picture);

  Index size_;
  double light_;
  std::unordered_map<std::string, Texture> textures_;
};

}  // namespace tyto
