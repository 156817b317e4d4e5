// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/novelcraft/ray_cast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr double kRadians = std::numbers::pi / 180;

double half_view() {
  static const double half = std::tan(kFieldOfView / 2 * kRadians);
  return half;
}

// The borders between cells along one axis, one after another.
struct Borders {
  Index cell, step;
  double next, between;  // as multiples of the ray

  Borders(double from, double way)
      : cell(static_cast<Index>(std::floor(from))), step(way > 0 ? 1 : -1) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const double ahead = static_cast<double>(way > 0 ? cell + 1 : cell) - from;
    next = way == 0 ? kNever : ahead / way;
    between = way == 0 ? kNever : 1 / std::abs(way);
  }

  void pass() {
    cell += step;
    next += between;
  }
};

}  // namespace

RayCaster::RayCaster(const BlockGrid& grid, const Camera& camera, Index width, Index height)
    : grid_(grid),
      // A cell reaches half a unit to either side of its number.
      eye_{camera.x - static_cast<double>(grid.x0()) + 0.5,
           camera.y + kEyeHeight - static_cast<double>(grid.level()) + 0.5,
           camera.z - static_cast<double>(grid.z0()) + 0.5},
      width_(static_cast<double>(width)),
      height_(static_cast<double>(height)) {
  const bool inside = eye_[0] >= 0 && eye_[2] >= 0 && eye_[0] < static_cast<double>(grid.width()) &&
                      eye_[2] < static_cast<double>(grid.depth()) && eye_[1] > 0 &&
                      std::isfinite(eye_[1] + camera.yaw + camera.pitch);
  if (!inside) {
    throw Error(ErrorKind::data,
                fmt::format("the player at {}, {}, {} (yaw {}, pitch {}) stands outside the map",
                            camera.x, camera.y, camera.z, camera.yaw, camera.pitch));
  }
  const double sin_yaw = std::sin(camera.yaw * kRadians);
  const double cos_yaw = std::cos(camera.yaw * kRadians);
  const double sin_pitch = std::sin(camera.pitch * kRadians);
  const double cos_pitch = std::cos(camera.pitch * kRadians);
  forward_ = {-sin_yaw * cos_pitch, -sin_pitch, cos_yaw * cos_pitch};
  right_ = {-cos_yaw, 0, -sin_yaw};
  up_ = {-sin_yaw * sin_pitch, cos_pitch, cos_yaw * sin_pitch};
}

RayHit RayCaster::cast(Index column, Index row) const {
  const double u = (2 * (static_cast<double>(column) + 0.5) / width_ - 1) * half_view();
  const double v = (1 - 2 * (static_cast<double>(row) + 0.5) / height_) * half_view();
  std::array<double, 3> way{};
  for (std::size_t i = 0; i < 3; ++i) {
    way[i] = forward_[i] + u * right_[i] + v * up_[i];
  }
  const auto hit_at = [&](Face face, BlockGrid::Kind kind, double t) {
    return RayHit{
        face, kind, t, {eye_[0] + t * way[0], eye_[1] + t * way[1], eye_[2] + t * way[2]}};
  };
  const double to_ground = way[1] < 0 ? -eye_[1] / way[1] : std::numeric_limits<double>::infinity();
  Borders x(eye_[0], way[0]);
  Borders z(eye_[2], way[2]);
  bool own = true;
  bool across_x = false;
  for (double t = 0;;) {
    if (x.cell < 0 || z.cell < 0 || x.cell >= grid_.width() || z.cell >= grid_.depth()) {
      break;
    }
    const double leaves = std::min(x.next, z.next);
    if (!own) {
      const BlockGrid::Kind kind = grid_.kind_at(x.cell, z.cell);
      if (kind != BlockGrid::kNone) {
        const double top = grid_.height_of(kind);
        if (eye_[1] + way[1] * t < top) {
          return hit_at(across_x ? Face::along_x : Face::along_z, kind, t);
        }
        if (eye_[1] + way[1] * leaves < top) {
          return hit_at(Face::top, kind, (top - eye_[1]) / way[1]);
        }
      }
    }
    if (to_ground <= leaves) {
      break;
    }
    own = false;
    t = leaves;
    across_x = x.next <= z.next;
    (across_x ? x : z).pass();
  }
  return std::isfinite(to_ground) ? hit_at(Face::ground, BlockGrid::kNone, to_ground)
                                  : RayHit{Face::sky, BlockGrid::kNone, 0, way};
}

Index visible_pixels(const BlockGrid& grid, const Camera& camera, const Block& block, Index width,
                     Index height) {
  const RayCaster rays(grid, camera, width, height);
  const auto kind = grid.find(block);
  Index pixels = 0;
  if (kind && *kind != BlockGrid::kNone) {
    for (Index row = 0; row < height; ++row) {
      for (Index column = 0; column < width; ++column) {
        pixels += rays.cast(column, row).kind == *kind ? 1 : 0;
      }
    }
  }
  return pixels;
}

}  // namespace tyto
