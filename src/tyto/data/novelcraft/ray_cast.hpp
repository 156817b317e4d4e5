// SPDX-License-Identifier: Apache-2.0
// What the player's eye sees of a block world, pixel by pixel. The renderer draws by it and the
// visible share of a block is counted by it, so that both are the same to the pixel.
#pragma once

#include <array>

#include "tyto/data/novelcraft/block_grid.hpp"

namespace tyto {

inline constexpr double kEyeHeight = 1.10667;    // above the centre of the player's cell
inline constexpr double kFieldOfView = 71.2667;  // degrees, across and down

struct Camera {
  double x = 0, y = 0, z = 0;  // of the player, whose eye is kEyeHeight above
  double yaw = 0;              // degrees: 0 looks to +z, 90 to -x
  double pitch = 0;            // degrees, downwards
};

enum class Face { sky, ground, top, along_x, along_z };  // the sides by the axis they stand across

struct RayHit {
  Face face = Face::sky;
  BlockGrid::Kind kind = BlockGrid::kNone;  // of a block that was hit
  double distance = 0;                      // along the direction of sight
  std::array<double, 3> place{};  // from the corner of the map, the ground at 0; of the sky the way
};

// Rays through the centres of the pixels of a picture of width x height, which are its whole field
// of view in both directions. The player's own cell is never in the way. Holds the grid by
// reference.
class RayCaster {
 public:
  // Throws Error(data) where the player stands outside the map.
  RayCaster(const BlockGrid& grid, const Camera& camera, Index width, Index height);

  // O(cells across).
  [[nodiscard]] RayHit cast(Index column, Index row) const;

 private:
  const BlockGrid& grid_;
  std::array<double, 3> eye_;  // from the corner of the map, above the ground
  std::array<double, 3> forward_, right_, up_;
  double width_, height_;
};

// Pixels whose first hit is this block, of width * height; also where an item bar is shown.
Index visible_pixels(const BlockGrid& grid, const Camera& camera, const Block& block, Index width,
                     Index height);

}  // namespace tyto
