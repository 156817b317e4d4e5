// SPDX-License-Identifier: Apache-2.0
// What benchmarks compare with and measure by: bare products, seconds, memory.
#pragma once

#include <chrono>
#include <fstream>
#include <string>
#include <string_view>

#include "tyto/core/random.hpp"

extern "C" void sgemm_(const char* trans_a, const char* trans_b, const int* m, const int* n,
                       const int* k, const float* alpha, const float* a, const int* lda,
                       const float* b, const int* ldb, const float* beta, float* c, const int* ldc);

namespace tyto::peers {

// products[n, m] = a b' over d columns, all row-major, by BLAS alone.
inline void plain_product(const float* a, Index n, const float* b, Index m, Index d,
                          float* products) {
  const int rows = static_cast<int>(n);
  const int columns = static_cast<int>(m);
  const int k = static_cast<int>(d);
  const float one = 1.0F;
  const float zero = 0.0F;
  sgemm_("T", "N", &columns, &rows, &k, &one, b, &k, a, &k, &zero, products, &columns);
}

template <class Call>
double seconds(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double memory_mb(std::string_view field) {  // VmHWM: the greatest so far, VmRSS: now
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word.size() == field.size() + 1 && word.starts_with(field)) {
      double kb = 0.0;
      status >> kb;
      return kb / 1024.0;
    }
  }
  return 0.0;
}

inline Matrix drawn(Index n, Index d, std::string_view name) {
  Rng rng(1, name);
  Matrix out(n, d);
  for (Index i = 0; i < out.size(); ++i) {
    out.data()[i] = static_cast<float>(rng.normal());
  }
  return out;
}

}  // namespace tyto::peers
