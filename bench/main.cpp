// SPDX-License-Identifier: Apache-2.0
// Benchmarks run with the BLAS kernels that the program itself would use.
#include <benchmark/benchmark.h>

#include "tyto/core/start_up.hpp"

int main(int argc, char** argv) {
  tyto::use_fast_libraries(argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
