// SPDX-License-Identifier: Apache-2.0
// A parallel loop that stays on one thread where there is too little to share.
#pragma once

#include "tyto/core/parallel.hpp"

namespace tyto {

// body(i) for every i in [0, n); `cost` is about how many additions one call makes.
template <class Body>
void share_loop(Index n, Index cost, const Body& body) {
  constexpr Index kWorthwhile = 1 << 16;
  if (n * cost >= kWorthwhile) {
    for_each_index(n, body);
    return;
  }
  for (Index i = 0; i < n; ++i) {
    body(i);
  }
}

}  // namespace tyto
