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
  explicit PixelBackbone(Recipe recipe) : recipe_(std::move(recipe)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }

  [[nodiscard]] const Recipe& recipe() const override { return recipe_; }

  [[nodiscard]] const std::string& digest() const override { return digest_; }

  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }

  [[nodiscard]] BackboneAnswer run(std::span<const float> inputs, Index batch,
                                   const ClipShape& shape) const override {
    BackboneAnswer answer;
    answer.features.resize(batch, shape.size());
    std::transform(inputs.begin(), inputs.end(), answer.features.data(),
                   [](float value) { return std::clamp(std::round(value), 0.0F, 255.0F); });
    return answer;
  }

 private:
  Recipe recipe_;
  std::string name_ = "pixels", digest_ = "pixels-1";
  std::vector<std::string> classes_;
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
