// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/prepare.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/video/resize/resizers.hpp"

namespace tyto {

namespace {

constexpr Index kLongestSide = 1 << 15;  // of what a picture is resized to

struct CropPlace {
  Index x, y;
  bool mirrored = false;
};

// What pictures of one size go through: a part is cut out, resized, and crops are cut out of that.
struct PreparePlan {
  Index cut_x = 0, cut_y = 0, cut_width = 0, cut_height = 0;
  Index width = 0, height = 0;
  Index crop_width = 0, crop_height = 0;
  std::vector<CropPlace> crops;
};

Index middle_offset(Index length, Index crop, CropRounding rounding) {
  const Index spare = length - crop;
  if (rounding == CropRounding::ceil) {
    return (spare + 1) / 2;
  }
  return spare / 2 + (spare % 2 == 1 && spare / 2 % 2 == 1 ? 1 : 0);  // halves to even
}

// The longer side where the shorter one becomes `size`. The two pipelines multiply in another
// order, which tells where the product is nearly whole.
Index longer_side(Index size, Index longer, Index shorter, CropRounding rounding) {
  const auto s = static_cast<double>(size);
  const auto l = static_cast<double>(longer);
  const auto w = static_cast<double>(shorter);
  return static_cast<Index>(rounding == CropRounding::ceil ? std::floor(l / w * s) : s * l / w);
}

void fit_picture(const Recipe& recipe, Index width, Index height, PreparePlan& plan) {
  plan.cut_width = plan.width = width;
  plan.cut_height = plan.height = height;
  if (recipe.fit == Fit::square_first) {
    const Index side = std::min(width, height);
    plan.cut_x = middle_offset(width, side, recipe.crop_rounding);
    plan.cut_y = middle_offset(height, side, recipe.crop_rounding);
    plan.cut_width = plan.cut_height = plan.width = plan.height = side;
  }
  if (recipe.resizer == Resizer::none) {
    return;
  }
  plan.width = recipe.width;
  plan.height = recipe.height;
  if (recipe.fit == Fit::short_side) {
    const Index shorter = std::min(width, height);
    const Index longer = std::max(width, height);
    const Index grown_side = shorter == recipe.height ? longer
                                                      : longer_side(recipe.height, longer, shorter,
                                                                    recipe.crop_rounding);
    plan.width = width <= height ? recipe.height : grown_side;
    plan.height = width <= height ? grown_side : recipe.height;
  }
  if (std::max(plan.width, plan.height) > kLongestSide) {
    throw Error(ErrorKind::data,
                fmt::format("a picture of {} x {} would become {} x {}, and no side may be longer "
                            "than {}",
                            width, height, plan.width, plan.height, kLongestSide));
  }
}

void place_crops(const Recipe& recipe, PreparePlan& plan) {
  plan.crop_width = recipe.crop_width > 0 ? recipe.crop_width : plan.width;
  plan.crop_height = recipe.crop_height > 0 ? recipe.crop_height : plan.height;
  if (plan.crop_width > plan.width || plan.crop_height > plan.height) {
    throw Error(ErrorKind::data,
                fmt::format("crops of {} x {} do not fit into pictures of {} x {}", plan.crop_width,
                            plan.crop_height, plan.width, plan.height));
  }
  const Index right = plan.width - plan.crop_width;
  const Index bottom = plan.height - plan.crop_height;
  const CropPlace middle{middle_offset(plan.width, plan.crop_width, recipe.crop_rounding),
                         middle_offset(plan.height, plan.crop_height, recipe.crop_rounding)};
  if (recipe.crops == 1) {
    plan.crops = {middle};
  } else if (recipe.crops == 3 && plan.height > plan.width) {
    plan.crops = {{middle.x, 0}, middle, {middle.x, bottom}};
  } else if (recipe.crops == 3) {
    plan.crops = {{0, middle.y}, middle, {right, middle.y}};
  } else {
    plan.crops = {{0, 0}, {right, 0}, {0, bottom}, {right, bottom}, middle};
    for (std::size_t i = 0; i < 5; ++i) {  // the same places of the mirrored picture
      const CropPlace place = plan.crops[i];
      plan.crops.push_back({right - place.x, place.y, true});
    }
  }
}

void check_recipe(const Recipe& recipe) {
  if (recipe.crops != 1 && recipe.crops != 3 && recipe.crops != 10) {
    throw Error(ErrorKind::config,
                fmt::format("crops is {}, and must be 1, 3 or 10", recipe.crops));
  }
  if (recipe.resizer != Resizer::none &&
      (recipe.height < 1 || (recipe.fit != Fit::short_side && recipe.width < 1))) {
    throw Error(ErrorKind::config,
                fmt::format("pictures cannot be resized to {} x {}", recipe.width, recipe.height));
  }
  if (recipe.crop_width < 0 || recipe.crop_height < 0) {
    throw Error(ErrorKind::config,
                fmt::format("crops cannot be of {} x {}", recipe.crop_width, recipe.crop_height));
  }
  for (const float deviation : recipe.deviation) {
    if (!(deviation > 0.0F)) {
      throw Error(ErrorKind::config,
                  fmt::format("deviation holds {}, and must be above 0", deviation));
    }
  }
}

PreparePlan prepare_plan(const Recipe& recipe, Index width, Index height) {
  check_recipe(recipe);
  if (width < 1 || height < 1) {
    throw Error(ErrorKind::data, fmt::format("a picture of {} x {} holds nothing", width, height));
  }
  PreparePlan plan;
  fit_picture(recipe, width, height, plan);
  place_crops(recipe, plan);
  return plan;
}

// One colour of n pixels.
void normalise_row(const std::uint8_t* colour, Index n, float mean, float deviation, float* out) {
  for (Index i = 0; i < n; ++i) {
    out[i] = (static_cast<float>(colour[i * 3]) / 255.0F - mean) / deviation;
  }
}

// One frame on its way; `plane(crop, channel)` is where its values go.
template <class Plane>
void prepare_frame(const Recipe& recipe, const PreparePlan& plan, const Picture& frame,
                   const Plane& plane) {
  const bool whole = plan.cut_width == frame.width && plan.cut_height == frame.height;
  const Picture cut =
      whole ? Picture() : cropped(frame, plan.cut_x, plan.cut_y, plan.cut_width, plan.cut_height);
  const Picture& source = whole ? frame : cut;
  const bool same_size = plan.width == source.width && plan.height == source.height;
  const bool on_floats = recipe.resizer == Resizer::torch_bilinear && !same_size;
  const Picture small =
      on_floats || same_size ? Picture() : resized(source, recipe.resizer, plan.width, plan.height);
  const Picture& picture = on_floats || same_size ? source : small;
  std::vector<float> flat(on_floats ? at(source.width * source.height) : 0);
  std::vector<float> resized_plane(on_floats ? at(plan.width * plan.height) : 0);
  for (Index channel = 0; channel < 3; ++channel) {
    const Index colour = recipe.blue_first ? 2 - channel : channel;
    const float mean = recipe.mean[at(colour)];
    const float deviation = recipe.deviation[at(colour)];
    if (on_floats) {
      normalise_row(source.rgb.data() + colour, source.width * source.height, mean, deviation,
                    flat.data());
      torch_resized(flat.data(), source.width, source.height, resized_plane.data(), plan.width,
                    plan.height);
    }
    for (std::size_t i = 0; i < plan.crops.size(); ++i) {
      const CropPlace& place = plan.crops[i];
      float* out = plane(static_cast<Index>(i), channel);
      for (Index y = 0; y < plan.crop_height; ++y, out += plan.crop_width) {
        if (on_floats) {
          std::copy_n(resized_plane.data() + (place.y + y) * plan.width + place.x, plan.crop_width,
                      out);
        } else {
          normalise_row(picture.pixel(place.x, place.y + y) + colour, plan.crop_width, mean,
                        deviation, out);
        }
        if (place.mirrored) {
          std::reverse(out, out + plan.crop_width);
        }
      }
    }
  }
}

}  // namespace

Picture resized(const Picture& picture, Resizer resizer, Index width, Index height) {
  TYTO_ASSERT(picture.width > 0 && picture.height > 0 && width > 0 && height > 0);
  switch (resizer) {
    case Resizer::pillow_bilinear: return pillow_resized(picture, false, width, height);
    case Resizer::pillow_bicubic: return pillow_resized(picture, true, width, height);
    case Resizer::area: return area_resized(picture, width, height);
    case Resizer::none:
    case Resizer::torch_bilinear: break;
  }
  throw Error(ErrorKind::config, fmt::format("{} does not resize pictures of 8 bits",
                                             resizer == Resizer::none ? "none" : "torch_bilinear"));
}

Picture cropped(const Picture& picture, Index x, Index y, Index width, Index height) {
  TYTO_ASSERT(x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= picture.width &&
              y + height <= picture.height);
  Picture out(width, height);
  for (Index row = 0; row < height; ++row) {
    std::copy_n(picture.pixel(x, y + row), width * 3, out.pixel(0, row));
  }
  return out;
}

ClipShape input_shape(const Recipe& recipe, Index width, Index height) {
  const PreparePlan plan = prepare_plan(recipe, width, height);
  return {
      .channels = 3, .frames = recipe.frames, .height = plan.crop_height, .width = plan.crop_width};
}

void prepare_clip(const Recipe& recipe, std::span<const Picture> frames,
                  std::vector<float>& inputs) {
  TYTO_ASSERT(!frames.empty());
  const PreparePlan plan = prepare_plan(recipe, frames[0].width, frames[0].height);
  for (std::size_t i = 1; i < frames.size(); ++i) {
    if (frames[i].width != frames[0].width || frames[i].height != frames[0].height) {
      throw Error(
          ErrorKind::data,
          fmt::format("frame {} of a clip is {} x {}, and its first {} x {}", i, frames[i].width,
                      frames[i].height, frames[0].width, frames[0].height));
    }
  }
  const Index count = std::ssize(frames);
  const Index plane = plan.crop_height * plan.crop_width;
  const Index before = std::ssize(inputs);
  inputs.resize(at(before + std::ssize(plan.crops) * 3 * count * plane));
  share_loop(count, plan.cut_width * plan.cut_height + plane, [&](Index t) {
    prepare_frame(recipe, plan, frames[at(t)], [&](Index crop, Index channel) {
      return inputs.data() + before + ((crop * 3 + channel) * count + t) * plane;
    });
  });
}

}  // namespace tyto
