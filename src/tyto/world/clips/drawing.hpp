// SPDX-License-Identifier: Apache-2.0
// Shapes and backgrounds, drawn without any library.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/world/clips/clips.hpp"

namespace tyto {

constexpr std::array<std::string_view, 6> kClipShapes{"disc",  "square",  "triangle",
                                                      "cross", "diamond", "ring"};
constexpr Index kClipTextures = 3;  // plain, striped, chequered

// A picture with a margin, which a camera that shakes looks into: planes of red, green, blue.
struct Backdrop {
  Index width = 0, height = 0, margin = 0;
  std::vector<float> values;

  [[nodiscard]] float at_pixel(Index channel, Index x, Index y) const {
    return values[at((channel * height + y) * width + x)];
  }
};

// Waves of drawn directions and lengths, almost grey.
Backdrop draw_backdrop(Index width, Index height, Index margin, double contrast, Rng rng);

struct Actor {
  ClipLook look;
  double x = 0, y = 0, radius = 0;  // pixels
  double brightness = 1;
};

// The backdrop, looked at from `dx`, `dy` beside its middle, and the actor before it, as planes of
// red, green, blue. Adds noise of this deviation.
void draw_frame(const Backdrop& backdrop, Index dx, Index dy, const Actor& actor, double noise,
                const Rng& rng, Index width, Index height, std::uint8_t* out);

}  // namespace tyto
