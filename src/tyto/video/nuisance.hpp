// SPDX-License-Identifier: Apache-2.0
// Visual changes that change nothing about what is done, by name:
//
//   blur         Gaussian; sigma in pixels, drawn in [sigma_least, sigma_most]
//   flip         upside down, left to right, or both
//   invert       255 - v
//   jitter       colours: brightness and hue; contrast and saturation on request
//   noise        Gaussian, one value a pixel for all three channels, new in every frame
//   perspective  the corners moved inwards
//   rotation     about the centre, nearest pixel, black where there was nothing
//
// Parameters are drawn once a video from a stream of its own, so that all its frames change alike;
// noise alone differs between them. The paper prints no range; `tyto explain` has the ones here and
// docs/worlds/clips.md where they come from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tyto/core/described.hpp"
#include "tyto/core/random.hpp"
#include "tyto/video/picture.hpp"

namespace tyto {

// A nuisance with its parameters drawn, for the frames of one video. Thread safe.
struct DrawnNuisance {
  std::string text;  // the parameters, for captions: "angle -12.3"
  // `number` is that of the frame in its video, which only noise looks at. Keeps the size.
  std::function<Picture(const Picture& frame, Index number)> change;
};

struct VisualNuisance : Interface {
  [[nodiscard]] virtual DrawnNuisance draw(Rng rng) const = 0;
};

struct NuisanceSpec : Described<VisualNuisance> {};

std::span<const NuisanceSpec> nuisance_specs();  // by name

// Throws Error(config) naming the nuisances there are and the likeliest spelling.
const NuisanceSpec& find_nuisance(std::string_view name);

// A name, or a map of a name and options: `{name: blur, sigma_most: 4}`. `path` is its dotted name,
// for messages.
std::unique_ptr<VisualNuisance> make_nuisance(const ConfigNode& node, std::string_view path);

// The stream of a video, by the nuisance's name and the video's id: it does not hang on which other
// videos there are, nor on their order.
Rng nuisance_stream(std::uint64_t seed, std::string_view nuisance, std::string_view video);

}  // namespace tyto
