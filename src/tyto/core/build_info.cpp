// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/build_info.hpp"

#include "revision.inc"
#include <fmt/format.h>

#include "tyto/core/parallel.hpp"

extern "C" char* openblas_get_config();
extern "C" char* openblas_get_corename();
extern "C" int openblas_get_parallel();

namespace tyto {

BuildInfo build_info() {
  BuildInfo info;
  info.version = TYTO_VERSION;
  info.revision = TYTO_REVISION;
  info.build_type = TYTO_BUILD_TYPE;
  info.compiler = fmt::format("g++ {}", __VERSION__);
  info.blas_kernel = openblas_get_corename();
  const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACK ..."
  const auto end = config.find(' ', config.find(' ') + 1);
  const int flavour = openblas_get_parallel();
  info.blas = fmt::format("{}, {}, {}", config.substr(0, end),
                          flavour == 2   ? "OpenMP"
                          : flavour == 1 ? "pthreads: correct, but slower beside torch"
                                         : "one thread",
                          info.blas_kernel);
  info.threads = thread_count();
  return info;
}

}  // namespace tyto
