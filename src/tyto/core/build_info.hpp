// SPDX-License-Identifier: Apache-2.0
// What this binary is: version, revision, compiler, and the BLAS it found at run time.
#pragma once

#include <string>

namespace tyto {

struct BuildInfo {
  std::string version, revision, compiler, build_type;
  std::string blas;         // "OpenBLAS 0.3.21, openmp, Haswell"
  std::string blas_kernel;  // same bytes only with the same kernel
  int threads = 1;
};

BuildInfo build_info();

}  // namespace tyto
