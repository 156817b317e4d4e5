// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/parallel.hpp"

#include <omp.h>

extern "C" void openblas_set_num_threads(int threads);

namespace tyto {

int thread_count() {
  return omp_get_max_threads();
}

void set_thread_count(int threads) {
  omp_set_num_threads(threads);
  openblas_set_num_threads(threads);
}

}  // namespace tyto
