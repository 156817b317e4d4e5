// SPDX-License-Identifier: Apache-2.0
// The nuisances, each defined where its arithmetic is.
#pragma once

#include <algorithm>
#include <cmath>

#include "tyto/video/nuisance.hpp"

namespace tyto {

NuisanceSpec blur_nuisance();
NuisanceSpec flip_nuisance();
NuisanceSpec invert_nuisance();
NuisanceSpec jitter_nuisance();
NuisanceSpec noise_nuisance();
NuisanceSpec perspective_nuisance();
NuisanceSpec rotation_nuisance();

template <class Options, class Nuisance>
NuisanceSpec nuisance_spec(std::string_view name, std::string_view summary) {
  NuisanceSpec spec;
  spec.name = name;
  spec.summary = summary;
  describe_made<Options, Nuisance>(spec);
  return spec;
}

// Clipped to a byte, halves upwards.
inline std::uint8_t nearest_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
}

inline double drawn_between(double least, double most, Rng& rng) {
  return least + (most - least) * rng.uniform();
}

}  // namespace tyto
