// SPDX-License-Identifier: Apache-2.0
// A network that makes features, and perhaps class scores, of pictures or clips, as seen from
// outside whatever runs it: torch, TorchScript or OpenCV.
#pragma once

#include <span>
#include <string>
#include <utility>
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

struct BackboneFacts {
  std::string name = {};
  Recipe recipe = {};
  // What tells this network, its weights and its settings from any other: hexadecimal digits.
  std::string digest = {};
  std::vector<std::string> classes = {};  // names of the columns of logits, where known
};

class Backbone : public Interface {
 public:
  [[nodiscard]] const std::string& name() const { return facts_.name; }

  [[nodiscard]] const Recipe& recipe() const { return facts_.recipe; }

  [[nodiscard]] const std::string& digest() const { return facts_.digest; }

  [[nodiscard]] const std::vector<std::string>& classes() const { return facts_.classes; }

  // `inputs` holds `batch` inputs of this shape one after another, normalised as the recipe says.
  // Equal inputs, batch, threads and kernels, equal bytes. Throws Error(data) for a shape that the
  // network cannot take. One caller at a time.
  [[nodiscard]] virtual BackboneAnswer run(std::span<const float> inputs, Index batch,
                                           const ClipShape& shape) const = 0;

 protected:
  explicit Backbone(BackboneFacts facts) : facts_(std::move(facts)) {}

  BackboneFacts facts_;
};

}  // namespace tyto
