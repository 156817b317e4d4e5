// SPDX-License-Identifier: Apache-2.0
// Rows drawn from a named stream, for tests with an oracle.
#pragma once

#include <cstdint>

#include "tyto/core/random.hpp"

namespace tyto {

inline Matrix random_rows(Index n, Index d, std::uint64_t seed, double mean = 0.0) {
  Rng rng(seed, "rows");
  Matrix out(n, d);
  for (Index i = 0; i < out.size(); ++i) {
    out.data()[i] = static_cast<float>(mean + rng.normal());
  }
  return out;
}

}  // namespace tyto
