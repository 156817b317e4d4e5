// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/element_type.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

template <class Stored>
float as_float(Stored value) {
  return static_cast<float>(value);
}

float from_half(std::uint16_t bits) {
  return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
}

float from_bfloat(std::uint16_t bits) {
  return Eigen::numext::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float from_boolean(std::uint8_t byte) {
  return byte == 0 ? 0.0F : 1.0F;
}

template <class Stored, class Convert>
void convert_each(const std::byte* from, Index stride, std::span<float> out,
                  const Convert& convert) {
  const auto step = static_cast<std::size_t>(stride) * sizeof(Stored);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored value{};
    std::memcpy(&value, from + i * step, sizeof(Stored));
    out[i] = convert(value);
  }
}

template <class Stored>
void convert_numbers(const std::byte* from, Index stride, std::span<float> out) {
  convert_each<Stored>(from, stride, out, as_float<Stored>);
}

}  // namespace

Index element_size(ElementType type) {
  switch (type) {
    case ElementType::int8:
    case ElementType::uint8:
    case ElementType::boolean: return 1;
    case ElementType::float16:
    case ElementType::bfloat16:
    case ElementType::int16:
    case ElementType::uint16: return 2;
    case ElementType::float32:
    case ElementType::int32:
    case ElementType::uint32: return 4;
    case ElementType::float64:
    case ElementType::int64:
    case ElementType::uint64: return 8;
  }
  TYTO_ASSERT(false);
  return 0;
}

void to_floats(ElementType type, const std::byte* from, Index stride, std::span<float> out) {
  switch (type) {
    case ElementType::float16: return convert_each<std::uint16_t>(from, stride, out, from_half);
    case ElementType::bfloat16: return convert_each<std::uint16_t>(from, stride, out, from_bfloat);
    case ElementType::float32: return convert_numbers<float>(from, stride, out);
    case ElementType::float64: return convert_numbers<double>(from, stride, out);
    case ElementType::int8: return convert_numbers<std::int8_t>(from, stride, out);
    case ElementType::int16: return convert_numbers<std::int16_t>(from, stride, out);
    case ElementType::int32: return convert_numbers<std::int32_t>(from, stride, out);
    case ElementType::int64: return convert_numbers<std::int64_t>(from, stride, out);
    case ElementType::uint8: return convert_numbers<std::uint8_t>(from, stride, out);
    case ElementType::uint16: return convert_numbers<std::uint16_t>(from, stride, out);
    case ElementType::uint32: return convert_numbers<std::uint32_t>(from, stride, out);
    case ElementType::uint64: return convert_numbers<std::uint64_t>(from, stride, out);
    case ElementType::boolean: return convert_each<std::uint8_t>(from, stride, out, from_boolean);
  }
  TYTO_ASSERT(false);
}

std::optional<Index> element_count(std::span<const Index> shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) {
    return 0;
  }
  Index count = 1;
  for (const Index size : shape) {
    if (__builtin_mul_overflow(count, size, &count)) {
      return std::nullopt;
    }
  }
  return count;
}

}  // namespace tyto
