// SPDX-License-Identifier: Apache-2.0
// What a picture or video goes through before a network sees it, as its authors had it. Data alone:
// the module `video` carries it out.
#pragma once

#include <array>
#include <string>

#include "tyto/core/matrix.hpp"

namespace tyto {

// pillow_*: anti-aliased, 8 bit in and out, as Pillow does it. torch_bilinear: two taps per axis,
// on the normalised floats. area: the mean of what an output pixel covers, 8 bit, as OpenCV.
enum class Resizer { none, pillow_bilinear, pillow_bicubic, torch_bilinear, area };

// What the size of the resize means. short_side: of the shorter side, the other keeps the shape.
// stretch: both sides, whatever the shape. square_first: the middle square is cut out, then
// resized.
enum class Fit { short_side, stretch, square_first };

// Where a crop lies. half_even: round((n - crop) / 2), halves to even, as torchvision; ceil: as
// SlowFast, which also multiplies in another order for the longer side. Three crops lie at both
// ends and the middle of the longer side; ten are the corners and the middle, and their mirror
// images.
enum class CropRounding { half_even, ceil };

struct Recipe {
  // Pictures.
  Resizer resizer = Resizer::pillow_bilinear;
  Fit fit = Fit::short_side;
  Index height = 256, width = 256;            // to resize to; of short_side the height alone counts
  Index crop_height = 224, crop_width = 224;  // 0: no crop
  CropRounding crop_rounding = CropRounding::half_even;
  std::array<float, 3> mean{0.485F, 0.456F, 0.406F};  // of values / 255, R G B
  std::array<float, 3> deviation{0.229F, 0.224F, 0.225F};
  bool blue_first = false;  // the network sees B G R

  // Videos; see video/sampling.hpp. A network of pictures has clips of one frame.
  std::string sampling = "uniform";
  Index frames = 1;  // of a clip
  Index stride = 1;  // between frames of a clip
  Index clips = 8;   // of a video, where the rule wants to know
  Index crops = 1;   // 1, 3 or 10
};

}  // namespace tyto
