// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/blocks/block_picture.hpp"

#include <algorithm>
#include <cmath>

namespace tyto {

namespace {

constexpr std::array<float, 3> kSkyLow{176, 206, 244}, kSkyHigh{112, 158, 234};
constexpr Index kSlots = 9;
constexpr std::string_view kGround = "minecraft:grass";

// Blocks of the standard world have colours of their own, others those of their name.
std::array<float, 3> colour_of_block(const Block& block) {
  struct Known {
    std::string_view name, variant;
    std::array<float, 3> colour;
  };

  constexpr std::array<Known, 9> kKnown{{{"minecraft:log", "oak", {104, 82, 50}},
                                         {"minecraft:log", "jungle", {86, 68, 27}},
                                         {"minecraft:bedrock", "", {84, 84, 84}},
                                         {"minecraft:crafting_table", "", {150, 104, 62}},
                                         {"minecraft:fence", "", {176, 142, 86}},
                                         {"minecraft:grass", "", {94, 140, 62}},
                                         {"minecraft:planks", "", {160, 130, 80}},
                                         {"minecraft:stick", "", {120, 92, 48}},
                                         {"polycraft:tree_tap", "", {150, 150, 160}}}};
  for (const Known& known : kKnown) {
    if (known.name == block.name && known.variant == block.variant) {
      return known.colour;
    }
  }
  Rng rng(mix(0, block.name), block.variant);
  const double hue = 6 * rng.uniform();
  const double saturation = 0.25 + 0.65 * rng.uniform();
  const double value = 90 + 140 * rng.uniform();
  std::array<float, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double k = std::fmod(5.0 - 2.0 * static_cast<double>(i) + hue, 6.0);
    out[i] =
        static_cast<float>(value * (1 - saturation * std::clamp(std::min(k, 4 - k), 0.0, 1.0)));
  }
  return out;
}

// Bricks, stripes, a frame, spots or nothing but grain, by the name of the block.
double pattern_at(std::uint64_t pattern, Index u, Index v) {
  switch (pattern % 5) {
    case 0: return v % 4 == 0 || (u + (v / 4 % 2) * 4) % 8 == 0 ? 0.6 : 1;
    case 1: return u % 4 == 0 ? 0.65 : 1;
    case 2: return u == 0 || v == 0 || u == 15 || v == 15 ? 0.55 : 1;
    case 3: return (u / 4 + v / 4) % 2 == 0 ? 0.75 : 1.05;
    default: return 1;
  }
}

double shade_of(Face face) {
  return face == Face::along_x ? 0.62 : face == Face::along_z ? 0.8 : 1;
}

Index texel(double along, Index texels) {
  return static_cast<Index>((along - std::floor(along)) * static_cast<double>(texels));
}

std::uint8_t as_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

}  // namespace

const BlockPainter::Texture& BlockPainter::texture(const Block& block) {
  const auto [it, fresh] = textures_.try_emplace(block.name + '/' + block.variant);
  if (fresh) {
    const std::array<float, 3> colour = colour_of_block(block);
    const bool trunk = block.name == kLog;
    const bool grown = block.name == kGround;
    const std::uint64_t key = mix(1, block.name);
    for (Index v = 0; v < kTexels; ++v) {
      for (Index u = 0; u < kTexels; ++u) {
        const auto grain =
            static_cast<double>(philox(key, static_cast<std::uint64_t>(v * kTexels + u))[0] &
                                0xFFFF) /
            65535.0;
        const double figure = trunk ? (u % 5 < 2 ? 0.8 : 1) : grown ? 1 : pattern_at(key, u, v);
        const double factor = figure * (0.85 + 0.3 * grain);
        for (std::size_t c = 0; c < 3; ++c) {
          it->second[at(v * kTexels + u)][c] = static_cast<float>(factor * colour[c]);
        }
      }
    }
  }
  return it->second;
}

BlockView BlockPainter::draw(const BlockGrid& grid, const Camera& camera,
                             std::span<const HeldItem> inventory, const Block& novel) {
  BlockView view{Picture(size_, size_)};
  const RayCaster rays(grid, camera, size_, size_);
  const auto novel_kind = grid.find(novel);
  std::vector<const Texture*> textures;
  for (const Block& kind : grid.kinds()) {
    textures.push_back(&texture(kind.name == kAir ? Block{std::string(kGround)} : kind));
  }
  for (Index row = 0; row < size_; ++row) {
    std::uint8_t* out = view.picture.pixel(0, row);
    for (Index column = 0; column < size_; ++column, out += 3) {
      const RayHit hit = rays.cast(column, row);
      if (hit.face == Face::sky) {
        const double high = std::clamp(hit.place[1], 0.0, 1.0);
        for (std::size_t c = 0; c < 3; ++c) {
          out[c] = as_byte(light_ * ((1 - high) * kSkyLow[c] + high * kSkyHigh[c]));
        }
        continue;
      }
      view.novel_pixels += novel_kind && hit.kind != BlockGrid::kNone && hit.kind == *novel_kind;
      const auto [x, y, z] = hit.place;
      const double along = hit.face == Face::along_x ? z : x;
      const double up = hit.face == Face::along_x || hit.face == Face::along_z ? y : z;
      const Colour& colour =
          (*textures[hit.kind])[at(texel(up, kTexels) * kTexels + texel(along, kTexels))];
      const double haze = std::min(0.35, 0.012 * hit.distance);
      const double shade = light_ * shade_of(hit.face);
      for (std::size_t c = 0; c < 3; ++c) {
        out[c] = as_byte((1 - haze) * shade * colour[c] + haze * light_ * kSkyLow[c]);
      }
    }
  }
  draw_item_bar(inventory, view.picture);
  return view;
}

void BlockPainter::draw_item_bar(std::span<const HeldItem> inventory, Picture& picture) {
  const Index rows = item_bar_rows(size_);
  const Index slot = size_ / kSlots;
  const Index edge = std::max<Index>(1, rows / 8);
  for (Index y = size_ - rows; y < size_; ++y) {
    for (Index x = 0; x < size_; ++x) {
      const Index number = x / std::max<Index>(1, slot);
      const Index across = x - number * slot;
      const Index down = y - (size_ - rows);
      const bool inside = across >= edge && across < slot - edge && down >= edge &&
                          down < rows - edge && number < std::ssize(inventory);
      std::uint8_t* out = picture.pixel(x, y);
      if (!inside) {
        std::fill_n(out, 3, std::uint8_t{40});
        continue;
      }
      const HeldItem& item = inventory[at(number)];
      // The fuller the slot, the higher the stack.
      const Index filled = 2 + std::min<Index>(item.count, 8);
      const bool shown = (rows - edge - down) * 10 <= filled * (rows - 2 * edge);
      const Colour& colour = texture({item.name})[at(across % kTexels * kTexels + down % kTexels)];
      for (std::size_t c = 0; c < 3; ++c) {
        out[c] = shown ? as_byte(colour[c]) : std::uint8_t{70};
      }
    }
  }
}

}  // namespace tyto
