// SPDX-License-Identifier: Apache-2.0
// Numbers in the bytes of a file, wherever they lie: nothing is taken for aligned.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "tyto/core/error.hpp"

namespace tyto {

static_assert(std::endian::native == std::endian::little);

// The caller has seen that they are there.
template <class Number>
Number little_endian(std::span<const std::byte> bytes, std::size_t at) {
  TYTO_ASSERT(at <= bytes.size() && bytes.size() - at >= sizeof(Number));
  Number value{};
  std::memcpy(&value, bytes.data() + at, sizeof(Number));
  return value;
}

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace tyto
