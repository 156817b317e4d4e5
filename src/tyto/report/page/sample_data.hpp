// SPDX-License-Identifier: Apache-2.0
// The samples of a run themselves, for the sections that show them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/sample/samples.hpp"

namespace tyto {

struct SamplePicture {
  std::string bytes;   // of a .png or .jpg; "": there is none of at most so many bytes
  Index frames = 1;    // of equal width, side by side
  bool drawn = false;  // pixel by pixel from numbers: to be enlarged without blurring
};

struct PictureWish {
  SampleId sample{};
  std::size_t most_bytes = 0;
  std::string split = {};  // as it is shown there ("test:blur"); "": wherever it is shown first
  std::string arm = {};    // its frames as this arm remembers them; "": evenly spread ones
};

// How unusual the places of a picture are to a detector that looks at patches.
struct PictureHeat {
  Index height = 0, width = 0;         // of the picture, in pixels
  Index cell = 0;                      // of a square; they lie from the top left corner on
  Matrix errors;                       // by row and column of squares
  Index top = 0, left = 0, patch = 0;  // the worst patch: its corner, its side
};

// A sample that an arm remembers.
struct KeptSample {
  SampleId sample{};
  std::string label;
  Index frames = 1;  // that are kept of it
};

// Of the first seed. Each may be empty; a call throws Error where the data are gone.
struct SampleData {
  // A row for each: the source `features`, frames meaned.
  std::function<Matrix(std::span<const SampleId> samples)> features = {};
  // None: it has no picture.
  std::function<std::optional<SamplePicture>(const PictureWish& wish)> picture = {};
  // What the arm remembered at its last commit, in the order of its memory.
  std::function<std::vector<KeptSample>(std::string_view arm)> kept = {};
  // To the detector of the arm at its last commit, an entry per sample; none for one of several
  // frames. Empty where the detector looks at no patches.
  std::function<std::vector<std::optional<PictureHeat>>(std::string_view arm,
                                                        std::span<const SampleId> samples)>
      heat = {};
};

}  // namespace tyto
