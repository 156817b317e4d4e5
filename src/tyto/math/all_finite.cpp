// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/all_finite.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "tyto/core/parallel.hpp"

namespace tyto {

bool all_finite(const MatrixView& values) {
  // An exponent of all ones is what infinities and NaN share. The greatest of whole numbers is
  // found without a branch, which floats would ask for.
  constexpr std::uint32_t kExponent = 0x7F800000;
  std::atomic<bool> finite = true;
  for_each_index(values.rows(), [&](Index i) {
    const float* row = values.data() + i * values.outerStride();
    std::uint32_t greatest = 0;
    for (Index j = 0; j < values.cols(); ++j) {
      greatest = std::max(greatest, std::bit_cast<std::uint32_t>(row[j]) & kExponent);
    }
    if (greatest == kExponent) {
      finite.store(false, std::memory_order_relaxed);
    }
  });
  return finite;
}

}  // namespace tyto
