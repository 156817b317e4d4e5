// SPDX-License-Identifier: Apache-2.0
// OpenBLAS chooses its kernels when it is loaded, and a version older than the processor falls back
// to those of 2004, four to six times slower.
#pragma once

namespace tyto {

// Call first thing in main. Where OpenBLAS has fallen back although the processor can do better,
// starts the program again with OPENBLAS_CORETYPE set; a value the user has set is left alone.
void use_fast_blas_kernel(char** argv);

}  // namespace tyto
