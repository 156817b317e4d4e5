// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/clips/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tyto {

namespace {

constexpr int kWaves = 4;
constexpr double kGrey = 95;         // mean of a backdrop
constexpr double kTint = 0.06;       // of a backdrop, at most
constexpr double kSaturation = 0.9;  // of an actor
constexpr double kTextureDark = 0.6;

using Rgb = std::array<double, 3>;

Rgb colour_of(double hue, double value) {
  Rgb out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    constexpr Rgb kStart{5, 3, 1};
    const double k = std::fmod(kStart[i] + 6 * hue, 6.0);
    out[i] = 255 * value * (1 - kSaturation * std::clamp(std::min(k, 4 - k), 0.0, 1.0));
  }
  return out;
}

// How far outside the shape a point is, in radii; negative inside. All have about the same area.
double outside(Index shape, double x, double y) {
  const double ax = std::abs(x);
  const double ay = std::abs(y);
  switch (shape) {
    case 0: return std::hypot(x, y) - 0.95;
    case 1: return std::max(ax, ay) - 0.84;
    case 2: return std::max(0.866 * ax + 0.5 * y - 0.35, -y - 0.9) - 0.28;
    case 3: return std::min(std::max(ax - 0.42, ay - 1.15), std::max(ay - 0.42, ax - 1.15));
    case 4: return (ax + ay - 1.2) / std::numbers::sqrt2;
    default: return std::abs(std::hypot(x, y) - 0.8) - 0.34;
  }
}

double texture_factor(Index texture, double x, double y) {
  const bool odd_row = std::fmod(std::abs(std::floor(2.5 * y)), 2.0) == 1;
  const bool odd_column = std::fmod(std::abs(std::floor(2.5 * x)), 2.0) == 1;
  const bool dark = texture == 1 ? odd_row : texture == 2 && odd_row != odd_column;
  return dark ? kTextureDark : 1;
}

// Four values of about normal noise of deviation 1: each the sum of four bytes.
std::array<float, 4> four_noises(std::uint64_t key, std::uint64_t counter) {
  constexpr float kMean = 510;
  constexpr float kDeviation = 147.8F;
  std::array<float, 4> out{};
  const auto words = philox(key, counter);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t w = words[i];
    const std::uint32_t sum = (w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24);
    out[i] = (static_cast<float>(sum) - kMean) / kDeviation;
  }
  return out;
}

}  // namespace

Backdrop draw_backdrop(Index width, Index height, Index margin, double contrast, Rng rng) {
  Backdrop backdrop{width + 2 * margin, height + 2 * margin, margin, {}};
  backdrop.values.resize(at(3 * backdrop.width * backdrop.height));

  struct Wave {
    double along_x, along_y, phase;
  };

  std::array<Wave, kWaves> waves{};
  const auto side = static_cast<double>(std::min(width, height));
  for (Wave& wave : waves) {
    const double turn = 2 * std::numbers::pi * rng.uniform();
    const double rate = 2 * std::numbers::pi * (1.5 + 4 * rng.uniform()) / side;
    wave = {rate * std::cos(turn), rate * std::sin(turn), 2 * std::numbers::pi * rng.uniform()};
  }
  const double grey = kGrey * (1 + contrast * (rng.uniform() - 0.5));
  Rgb tint{};
  for (double& one : tint) {
    one = 1 + kTint * (2 * rng.uniform() - 1);
  }
  for (Index y = 0; y < backdrop.height; ++y) {
    for (Index x = 0; x < backdrop.width; ++x) {
      double sum = 0;
      for (const Wave& wave : waves) {
        sum += std::sin(wave.along_x * static_cast<double>(x) +
                        wave.along_y * static_cast<double>(y) + wave.phase);
      }
      const double value = grey * (1 + contrast * sum / std::sqrt(2.0 * kWaves));
      for (Index c = 0; c < 3; ++c) {
        backdrop.values[at((c * backdrop.height + y) * backdrop.width + x)] =
            static_cast<float>(value * tint[at(c)]);
      }
    }
  }
  return backdrop;
}

void draw_frame(const Backdrop& backdrop, Index dx, Index dy, const Actor& actor, double noise,
                const Rng& rng, Index width, Index height, std::uint8_t* out) {
  const Index pixels = width * height;
  std::vector<float> values(at(3 * pixels));
  for (Index c = 0; c < 3; ++c) {
    for (Index y = 0; y < height; ++y) {
      for (Index x = 0; x < width; ++x) {
        values[at(c * pixels + y * width + x)] =
            backdrop.at_pixel(c, x + backdrop.margin + dx, y + backdrop.margin + dy);
      }
    }
  }
  // The camera's way to the right moves what it sees to the left.
  const double centre_x = actor.x - static_cast<double>(dx);
  const double centre_y = actor.y - static_cast<double>(dy);
  const Rgb colour = colour_of(actor.look.hue, actor.brightness);
  const double reach = 1.3 * actor.radius + 1;
  const Index left = std::max<Index>(0, static_cast<Index>(std::floor(centre_x - reach)));
  const Index right = std::min(width - 1, static_cast<Index>(std::ceil(centre_x + reach)));
  const Index top = std::max<Index>(0, static_cast<Index>(std::floor(centre_y - reach)));
  const Index bottom = std::min(height - 1, static_cast<Index>(std::ceil(centre_y + reach)));
  for (Index y = top; y <= bottom; ++y) {
    for (Index x = left; x <= right; ++x) {
      const double u = (static_cast<double>(x) - centre_x) / actor.radius;
      const double v = (static_cast<double>(y) - centre_y) / actor.radius;
      const double cover =
          std::clamp(0.5 - outside(actor.look.shape, u, v) * actor.radius, 0.0, 1.0);
      const double factor = texture_factor(actor.look.texture, u, v);
      if (cover > 0) {
        for (Index c = 0; c < 3; ++c) {
          float& value = values[at(c * pixels + y * width + x)];
          value = static_cast<float>((1 - cover) * value + cover * factor * colour[at(c)]);
        }
      }
    }
  }
  for (std::size_t i = 0; i < values.size(); i += 4) {
    const auto noises = four_noises(rng.key(), i);
    for (std::size_t j = i; j < std::min(i + 4, values.size()); ++j) {
      const float value = values[j] + static_cast<float>(noise) * noises[j - i];
      out[j] = static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
    }
  }
}

}  // namespace tyto
