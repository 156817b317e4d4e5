// SPDX-License-Identifier: Apache-2.0
// From pictures to what a network sees: a recipe carried out.
#pragma once

#include <span>
#include <vector>

#include "tyto/nn/backbone.hpp"
#include "tyto/video/picture.hpp"

namespace tyto {

// 8 bit to 8 bit. `none` and torch_bilinear are no 8-bit resizers and are refused.
Picture resized(const Picture& picture, Resizer resizer, Index width, Index height);

// The part that begins at column x and row y.
Picture cropped(const Picture& picture, Index x, Index y, Index width, Index height);

// The shape of a network's input for pictures of this size.
ClipShape input_shape(const Recipe& recipe, Index width, Index height);

// One input per crop: the frames of a clip, all of one size, as C,T,H,W floats, normalised.
// Appended to `inputs`, crop by crop.
void prepare_clip(const Recipe& recipe, std::span<const Picture> frames,
                  std::vector<float>& inputs);

}  // namespace tyto
