// SPDX-License-Identifier: Apache-2.0
// A network that makes features, and perhaps class scores, of pictures or clips, as seen from
// outside whatever runs it: torch, TorchScript or OpenCV.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tyto/nn/recipe.hpp"

namespace tyto {

// One input: N,C,T,H,W in memory, of which a network of pictures sees T = 1 as N,C,H,W.
struct ClipShape {
  Index channels = 3, frames = 1, height = 224, width = 224;

  [[nodiscard]] Index size() const { return channels * frames * height * width; }

  bool operator==(const ClipShape&) const = default;
};

struct BackboneAnswer {
  Matrix features;  // a row per input
  Matrix logits;    // a row per input; no columns where the network has no head
};

struct Backbone : Interface {
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual const Recipe& recipe() const = 0;
  // What tells this network, its weights and its settings from any other: hexadecimal digits.
  [[nodiscard]] virtual const std::string& digest() const = 0;
  // Names of the columns of logits, where known; else {}.
  [[nodiscard]] virtual const std::vector<std::string>& classes() const = 0;

  // `inputs` holds `batch` inputs of this shape one after another, normalised as the recipe says.
  // Equal inputs, batch, threads and kernels, equal bytes. Throws Error(data) for a shape that the
  // network cannot take. One caller at a time.
  [[nodiscard]] virtual BackboneAnswer run(std::span<const float> inputs, Index batch,
                                           const ClipShape& shape) const = 0;
};

}  // namespace tyto
