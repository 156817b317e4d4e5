// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/pixels.hpp"

#include <algorithm>
#include <cmath>

#include "tyto/core/error.hpp"
#include "tyto/engine/extract/recipe_options.hpp"

namespace tyto {

namespace {

class PixelBackbone final : public Backbone {
 public:
  explicit PixelBackbone(Recipe recipe)
      : Backbone({.name = "pixels", .recipe = std::move(recipe), .digest = "pixels-1"}) {}

  [[nodiscard]] BackboneAnswer run(std::span<const float> inputs, Index batch,
                                   const ClipShape& shape) const override {
    BackboneAnswer answer;
    answer.features.resize(batch, shape.size());
    std::transform(inputs.begin(), inputs.end(), answer.features.data(),
                   [](float value) { return std::clamp(std::round(value), 0.0F, 255.0F); });
    return answer;
  }
};

}  // namespace

std::unique_ptr<Backbone> pixel_backbone(Index size, const ConfigNode& changes) {
  Recipe recipe;
  recipe.height = recipe.width = recipe.crop_height = recipe.crop_width = size;
  recipe.sampling = "all";
  recipe = read_recipe(changes, recipe, "recipe");
  recipe.mean = {0, 0, 0};
  recipe.deviation.fill(1.0F / 255.0F);
  if (recipe.frames != 1) {
    throw Error(ErrorKind::config, "recipe.frames: pixels are kept frame by frame; leave it at 1");
  }
  return std::make_unique<PixelBackbone>(std::move(recipe));
}

}  // namespace tyto
