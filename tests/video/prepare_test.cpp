// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/prepare.hpp"

#include "video/formula_picture.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::formula_picture;

// No resizing, crops of 4 x 4, values / 255.
Recipe plain_recipe() {
  Recipe recipe;
  recipe.resizer = Resizer::none;
  recipe.crop_width = recipe.crop_height = 4;
  recipe.mean = {0.0F, 0.0F, 0.0F};
  recipe.deviation = {1.0F, 1.0F, 1.0F};
  return recipe;
}

std::vector<float> prepared(const Recipe& recipe, const std::vector<Picture>& frames) {
  std::vector<float> inputs;
  prepare_clip(recipe, frames, inputs);
  return inputs;
}

// The place of the first crop whose values are those of the picture there, by trying all.
std::pair<Index, Index> place_of(const std::vector<float>& inputs, Index crop,
                                 const Picture& picture, bool mirrored, Index size) {
  for (Index y = 0; y + size <= picture.height; ++y) {
    for (Index x = 0; x + size <= picture.width; ++x) {
      bool same = true;
      for (Index c = 0; c < 3; ++c) {
        for (Index j = 0; j < size; ++j) {
          for (Index i = 0; i < size; ++i) {
            const Index column = mirrored ? x + size - 1 - i : x + i;
            same = same && inputs[at(((crop * 3 + c) * size + j) * size + i)] ==
                               static_cast<float>(picture.pixel(column, y + j)[c]) / 255.0F;
          }
        }
      }
      if (same) {
        return {x, y};
      }
    }
  }
  return {-1, -1};
}

using Place = std::pair<Index, Index>;

TEST(Prepare, rounds_the_middle_as_each_pipeline_does) {
  Recipe recipe = plain_recipe();
  // Spare columns 5: 2.5 is 2 to even and 3 up; spare rows 3: 1.5 is 2 either way.
  const Picture picture = formula_picture(9, 7);
  EXPECT_EQ(place_of(prepared(recipe, {picture}), 0, picture, false, 4), Place(2, 2));
  recipe.crop_rounding = CropRounding::ceil;
  EXPECT_EQ(place_of(prepared(recipe, {picture}), 0, picture, false, 4), Place(3, 2));
}

TEST(Prepare, lays_three_crops_along_the_longer_side) {
  Recipe recipe = plain_recipe();
  recipe.crops = 3;
  const Picture wide = formula_picture(11, 6);
  auto inputs = prepared(recipe, {wide});
  ASSERT_EQ(inputs.size(), 3U * 3 * 16);
  EXPECT_EQ(place_of(inputs, 0, wide, false, 4), Place(0, 1));
  EXPECT_EQ(place_of(inputs, 1, wide, false, 4), Place(4, 1));  // 3.5 to even
  EXPECT_EQ(place_of(inputs, 2, wide, false, 4), Place(7, 1));
  const Picture high = formula_picture(6, 11);
  inputs = prepared(recipe, {high});
  EXPECT_EQ(place_of(inputs, 0, high, false, 4), Place(1, 0));
  EXPECT_EQ(place_of(inputs, 2, high, false, 4), Place(1, 7));
}

TEST(Prepare, lays_ten_crops_in_the_corners_and_mirrors_them) {
  Recipe recipe = plain_recipe();
  recipe.crops = 10;
  const Picture picture = formula_picture(10, 7);
  const auto inputs = prepared(recipe, {picture});
  ASSERT_EQ(inputs.size(), 10U * 3 * 16);
  const std::vector<Place> plain{{0, 0}, {6, 0}, {0, 3}, {6, 3}, {3, 2}};
  // The same places of the mirrored picture: its left is the right.
  const std::vector<Place> mirrored{{6, 0}, {0, 0}, {6, 3}, {0, 3}, {3, 2}};
  for (Index i = 0; i < 5; ++i) {
    EXPECT_EQ(place_of(inputs, i, picture, false, 4), plain[at(i)]) << i;
    EXPECT_EQ(place_of(inputs, i + 5, picture, true, 4), mirrored[at(i)]) << i;
  }
}

TEST(Prepare, orders_values_by_colour_then_frame_and_normalises_each_colour) {
  Recipe recipe = plain_recipe();
  recipe.crop_width = recipe.crop_height = 0;
  recipe.mean = {0.1F, 0.2F, 0.3F};
  recipe.deviation = {0.5F, 0.25F, 2.0F};
  std::vector<Picture> frames{formula_picture(3, 2), formula_picture(3, 2)};
  for (std::uint8_t& value : frames[1].rgb) {
    value = static_cast<std::uint8_t>(255 - value);
  }
  for (const bool blue_first : {false, true}) {
    recipe.blue_first = blue_first;
    std::vector<float> inputs{42.0F};  // what is there stays
    prepare_clip(recipe, frames, inputs);
    ASSERT_EQ(inputs.size(), 1U + 3 * 2 * 6);
    EXPECT_EQ(inputs[0], 42.0F);
    for (Index c = 0; c < 3; ++c) {
      const Index colour = blue_first ? 2 - c : c;
      for (Index t = 0; t < 2; ++t) {
        for (Index i = 0; i < 6; ++i) {
          const float value = static_cast<float>(frames[at(t)].rgb[at(i * 3 + colour)]);
          EXPECT_EQ(inputs[at(1 + (c * 2 + t) * 6 + i)],
                    (value / 255.0F - recipe.mean[at(colour)]) / recipe.deviation[at(colour)]);
        }
      }
    }
  }
}

TEST(Prepare, knows_the_shape_of_what_it_makes) {
  Recipe recipe;  // short side 256, crop 224
  recipe.frames = 8;
  EXPECT_EQ(input_shape(recipe, 340, 256), (ClipShape{3, 8, 224, 224}));
  recipe.crop_width = recipe.crop_height = 0;
  EXPECT_EQ(input_shape(recipe, 320, 240), (ClipShape{3, 8, 256, 341}));  // 256 * 320 / 240
  EXPECT_EQ(input_shape(recipe, 82, 144), (ClipShape{3, 8, 449, 256}));   // 449.56
  recipe.fit = Fit::stretch;
  recipe.height = 128;
  recipe.width = 171;
  EXPECT_EQ(input_shape(recipe, 320, 240), (ClipShape{3, 8, 128, 171}));
  recipe.resizer = Resizer::none;
  EXPECT_EQ(input_shape(recipe, 256, 234), (ClipShape{3, 8, 234, 256}));
}

TEST(Prepare, multiplies_for_the_longer_side_as_each_pipeline_does) {
  // 224 * 244 / 112 is 488; 244 / 112 * 224 falls just short of it.
  Recipe recipe;
  recipe.height = 224;
  recipe.crop_width = recipe.crop_height = 0;
  EXPECT_EQ(input_shape(recipe, 244, 112).width, 488);
  recipe.crop_rounding = CropRounding::ceil;
  EXPECT_EQ(input_shape(recipe, 244, 112).width, 487);
  EXPECT_EQ(input_shape(recipe, 224, 300).height, 300);  // already of that size
}

TEST(Prepare, cuts_the_square_before_it_resizes) {
  Recipe recipe = plain_recipe();
  recipe.resizer = Resizer::pillow_bilinear;
  recipe.fit = Fit::square_first;
  recipe.width = recipe.height = 6;
  recipe.crop_width = recipe.crop_height = 0;
  const Picture picture = formula_picture(15, 12);  // offset 1.5, to even 2
  const Picture expected = resized(cropped(picture, 2, 0, 12, 12), Resizer::pillow_bilinear, 6, 6);
  EXPECT_EQ(place_of(prepared(recipe, {picture}), 0, expected, false, 6), Place(0, 0));
}

TEST(Prepare, resizes_floats_and_bytes_alike_up_to_rounding) {
  Recipe recipe;
  recipe.fit = Fit::stretch;
  recipe.height = recipe.width = 40;
  recipe.crop_height = recipe.crop_width = 32;
  recipe.crops = 3;
  const std::vector<Picture> frames(3, formula_picture(20, 20));  // grown: nothing is anti-aliased
  recipe.resizer = Resizer::torch_bilinear;
  const auto floats = prepared(recipe, frames);
  recipe.resizer = Resizer::pillow_bilinear;
  const auto bytes = prepared(recipe, frames);
  ASSERT_EQ(floats.size(), 3U * 3 * 3 * 32 * 32);
  ASSERT_EQ(bytes.size(), floats.size());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    ASSERT_NEAR(floats[i], bytes[i], 1.01F / 255.0F / 0.224F) << i;
  }
}

TEST(Prepare, says_what_does_not_fit) {
  const auto message = [](const Recipe& recipe, const std::vector<Picture>& frames) -> std::string {
    try {
      (void)prepared(recipe, frames);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  Recipe recipe = plain_recipe();
  EXPECT_EQ(message(recipe, {formula_picture(3, 9)}),
            "crops of 4 x 4 do not fit into pictures of 3 x 9");
  EXPECT_EQ(message(recipe, {formula_picture(5, 9), formula_picture(9, 5)}),
            "frame 1 of a clip is 9 x 5, and its first 5 x 9");
  recipe.crops = 5;
  EXPECT_EQ(message(recipe, {formula_picture(5, 9)}), "crops is 5, and must be 1, 3 or 10");
  recipe = Recipe();
  EXPECT_THAT(message(recipe, {formula_picture(1, 9000)}), HasSubstr("no side may be longer"));
  recipe.deviation[1] = 0.0F;
  EXPECT_EQ(message(recipe, {formula_picture(5, 9)}), "deviation holds 0, and must be above 0");
}

}  // namespace
}  // namespace tyto
