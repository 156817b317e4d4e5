// SPDX-License-Identifier: Apache-2.0
// Pictures made of the numbers of a sample.
#pragma once

#include "tyto/data/dataset.hpp"
#include "tyto/report/page/sample_data.hpp"

namespace tyto {

constexpr Index kMostStripFrames = 6;

// A row per frame, side by side; of more than six those in the middle of six equal runs, and fewer
// where these would take more than `most_bytes`. All frames have the same black and white.
SamplePicture drawn_picture(const Matrix& frames, const PictureLayout& layout,
                            std::size_t most_bytes);

}  // namespace tyto
