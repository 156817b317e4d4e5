// SPDX-License-Identifier: Apache-2.0
// The resizers, one by one; prepare.hpp chooses among them.
#pragma once

#include "tyto/video/picture.hpp"

namespace tyto {

// As Pillow: a triangle (bilinear) or a cubic with a = -0.5, stretched where the picture shrinks;
// fixed point of 22 bits, columns first, rounded to 8 bits between the passes.
Picture pillow_resized(const Picture& picture, bool cubic, Index width, Index height);

// As OpenCV's INTER_AREA on 8 bits: the mean of what a pixel covers where both sides shrink, else
// its linear rule of the same name.
Picture area_resized(const Picture& picture, Index width, Index height);

// One plane of floats as torch's bilinear without anti-aliasing: two taps per axis, corners not
// aligned.
void torch_resized(const float* plane, Index width, Index height, float* out, Index out_width,
                   Index out_height);

}  // namespace tyto
