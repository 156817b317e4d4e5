// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/blas_kernel.hpp"

#include <cstdlib>
#include <string_view>

#include <unistd.h>

extern "C" char* openblas_get_corename();

namespace tyto {

void use_fast_blas_kernel(char** argv) {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  constexpr std::string_view kFallback = "Prescott";
  if (std::getenv(kVariable) != nullptr || openblas_get_corename() != kFallback ||
      !__builtin_cpu_supports("avx2")) {
    return;
  }
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  ::setenv(kVariable, wide ? "SKYLAKEX" : "HASWELL", 1);
  ::execv("/proc/self/exe", argv);
  // Still here: it could not be started again, and works all the same, only slower.
}

}  // namespace tyto
