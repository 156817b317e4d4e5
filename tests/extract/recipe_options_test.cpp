// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/recipe_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

TEST(RecipeOptions, come_back_from_their_words) {
  Recipe recipe;
  recipe.resizer = Resizer::area;
  recipe.fit = Fit::square_first;
  recipe.crop_rounding = CropRounding::ceil;
  recipe.mean = {0.45F, 0.25F, 0.125F};
  recipe.sampling = "spread";
  recipe.frames = 16;
  recipe.crops = 3;
  const Recipe again = read_recipe(recipe_node(recipe), {}, "recipe");
  EXPECT_EQ(to_yaml(recipe_node(again)), to_yaml(recipe_node(recipe)));
  EXPECT_EQ(again.resizer, Resizer::area);
  EXPECT_EQ(again.mean, recipe.mean);
  EXPECT_EQ(again.frames, 16);
}

TEST(RecipeOptions, keep_what_is_not_named) {
  Recipe standard;
  standard.frames = 64;
  const Recipe recipe = read_recipe(parse_yaml("{height: 32}", "y"), standard, "recipe");
  EXPECT_EQ(recipe.height, 32);
  EXPECT_EQ(recipe.frames, 64);
}

TEST(RecipeOptions, refuse_what_makes_no_sense) {
  for (const auto* text : {"{crops: 4}", "{mean: [1, 2]}", "{resizer: bilinear}", "{hight: 3}"}) {
    EXPECT_THROW(read_recipe(parse_yaml(text, "y"), {}, "recipe"), Error) << text;
  }
}

}  // namespace
}  // namespace tyto
