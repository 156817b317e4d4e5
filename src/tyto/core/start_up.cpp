// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/start_up.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

extern "C" char* openblas_get_corename();

namespace tyto {

namespace {

bool set_blas_kernel() {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  constexpr std::string_view kFallback = "Prescott";
  if (std::getenv(kVariable) != nullptr || openblas_get_corename() != kFallback ||
      !__builtin_cpu_supports("avx2")) {
    return false;
  }
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  return ::setenv(kVariable, wide ? "SKYLAKEX" : "HASWELL", 1) == 0;
}

bool set_waiting() {
  constexpr const char* kVariable = "GOMP_SPINCOUNT";
  if (std::getenv(kVariable) != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) {
    return false;
  }
  return ::setenv(kVariable, "10000", 1) == 0;
}

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kOwnMapping = 32 << 20;  // bytes, the most that can be asked for
  constexpr int kKept = 256 << 20;
  if (std::getenv("MALLOC_MMAP_THRESHOLD_") == nullptr) {
    ::mallopt(M_MMAP_THRESHOLD, kOwnMapping);
  }
  if (std::getenv("MALLOC_TRIM_THRESHOLD_") == nullptr) {
    ::mallopt(M_TRIM_THRESHOLD, kKept);
  }
#endif
}

}  // namespace

void use_fast_libraries(char** argv) {
  keep_freed_memory();
  const bool kernel = set_blas_kernel();
  const bool waiting = set_waiting();
  if (kernel || waiting) {
    // By its own path, or `ps` and `top` would call it "exe".
    std::error_code unknown;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
    if (!unknown) {
      ::execv(program.c_str(), argv);
    }
    ::execv("/proc/self/exe", argv);  // removed or replaced meanwhile
    // Still here: it could not be started again, and works all the same, only slower.
  }
}

}  // namespace tyto
