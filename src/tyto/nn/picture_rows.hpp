// SPDX-License-Identifier: Apache-2.0
// Rows that are pictures: R, G and B planes, values of 0 to 255.
#pragma once

#include "tyto/core/matrix.hpp"
#include "tyto/core/random.hpp"

namespace tyto {

struct RowSize {
  Index height = 0, width = 0;
};

// Of rows of so many numbers: square unless a height is given. Throws Error(config) where there is
// no such picture.
RowSize picture_size(Index numbers, Index height = 0);

enum class Augment { none, flip, shift_flip };

// Each sample, `segments` rows, is mirrored with chance 1/2; shift_flip moves it too, by up to an
// eighth of its sides, and repeats its border. All frames of a sample alike.
void augment_pictures(MatrixRef rows, Index segments, RowSize size, Augment how, const Rng& rng);

}  // namespace tyto
