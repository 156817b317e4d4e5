// SPDX-License-Identifier: Apache-2.0
// Small pictures as PNG files, without a picture library.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tyto/core/matrix.hpp"

namespace tyto {

// The bytes of a file of 8-bit grey values, row by row, 0 black; each pixel is shown `zoom` x
// `zoom` times. The same pixels, the same bytes.
std::string grey_png(std::span<const std::uint8_t> pixels, Index width, Index height,
                     Index zoom = 1);

// The same of colours: red, green and blue of each pixel in turn.
std::string colour_png(std::span<const std::uint8_t> pixels, Index width, Index height,
                       Index zoom = 1);

}  // namespace tyto
