// SPDX-License-Identifier: Apache-2.0
// Types of numbers in tensor files, all of which become float.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

enum class ElementType {
  float16,
  bfloat16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  boolean
};

Index element_size(ElementType type);  // in bytes

// The elements at 0, stride, 2 stride, ... of `from`, which the caller has seen to be there.
void to_floats(ElementType type, const std::byte* from, Index stride, std::span<float> out);

// How many elements a tensor of this shape has, whose sizes are at least 0; none where the number
// does not fit into 64 bits.
std::optional<Index> element_count(std::span<const Index> shape);

}  // namespace tyto
