// SPDX-License-Identifier: Apache-2.0
// Parallel loops that exceptions may leave. No reduction on floats: sum per fixed block, in order.
#pragma once

#include <atomic>
#include <exception>

#include "tyto/core/matrix.hpp"

namespace tyto {

// body(i) for every i in [0, n), in any order; the first exception is rethrown.
template <class Body>
void for_each_index(Index n, const Body& body) {
  std::exception_ptr first;
  std::atomic_flag caught;
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < n; ++i) {
    try {
      body(i);
    } catch (...) {
      if (!caught.test_and_set()) {
        first = std::current_exception();
      }
    }
  }
  if (first) {
    std::rethrow_exception(first);
  }
}

// The same on one thread where there is too little to share: `cost` is about how many additions one
// call makes.
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

// body(begin, count) over [0, n) in blocks of `size`, one after another.
template <class Body>
void in_blocks(Index n, Index size, const Body& body) {
  for (Index begin = 0; begin < n; begin += size) {
    body(begin, begin + size < n ? size : n - begin);
  }
}

int thread_count();
void set_thread_count(int threads);  // for our loops and BLAS alike

}  // namespace tyto
