// SPDX-License-Identifier: Apache-2.0
// Exact neighbours against the bare matrix product of the same shape, in turns in the same run.
#include <chrono>

#include <benchmark/benchmark.h>

#include "tyto/core/random.hpp"
#include "tyto/math/class_statistics.hpp"
#include "tyto/math/neighbours.hpp"

extern "C" void sgemm_(const char* trans_a, const char* trans_b, const int* m, const int* n,
                       const int* k, const float* alpha, const float* a, const int* lda,
                       const float* b, const int* ldb, const float* beta, float* c, const int* ldc);

namespace {

using tyto::Index;
using tyto::Matrix;

Matrix drawn(Index n, Index d, const char* name) {
  tyto::Rng rng(1, name);
  Matrix out(n, d);
  for (Index i = 0; i < out.size(); ++i) {
    out.data()[i] = static_cast<float>(rng.normal());
  }
  return out;
}

// products = a b', all row-major.
void plain_product(const Matrix& a, const Matrix& b, Matrix& products) {
  const int m = static_cast<int>(b.rows());
  const int n = static_cast<int>(a.rows());
  const int k = static_cast<int>(a.cols());
  const float one = 1.0F;
  const float zero = 0.0F;
  sgemm_("T", "N", &m, &n, &k, &one, b.data(), &k, a.data(), &k, &zero, products.data(), &m);
}

template <class Call>
double seconds(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void nearest_k(benchmark::State& state) {
  const Index queries = 2000;
  const Index references = 20000;
  const Index d = state.range(0);
  const Index k = state.range(1);
  const Matrix a = drawn(queries, d, "queries");
  const Matrix b = drawn(references, d, "references");
  Matrix products(queries, references);
  double product_s = 0.0;
  double nearest_s = 0.0;
  for (auto _ : state) {
    product_s += seconds([&] { plain_product(a, b, products); });
    const double nearest =
        seconds([&] { benchmark::DoNotOptimize(tyto::nearest_rows(a, b, k).row.data()); });
    nearest_s += nearest;
    state.SetIterationTime(nearest);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["gemm_ms"] = 1e3 * product_s / rounds;
  state.counters["times_gemm"] = nearest_s / product_s;
  state.counters["gflops"] =
      2e-9 * static_cast<double>(queries * references * d) * rounds / nearest_s;
}

BENCHMARK(nearest_k)
    ->ArgNames({"d", "k"})
    ->Args({16, 10})
    ->Args({128, 10})
    ->Args({768, 1})
    ->Args({768, 10})
    ->Args({768, 50})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void class_scatter(benchmark::State& state) {
  const Matrix rows = drawn(8192, state.range(0), "rows");
  std::vector<std::int32_t> keys;
  for (Index i = 0; i < rows.rows(); ++i) {
    keys.push_back(static_cast<std::int32_t>(i % 100));
  }
  for (auto _ : state) {
    tyto::ClassStatistics statistics(tyto::Scatter::full);
    statistics.add(rows, keys);
    benchmark::DoNotOptimize(statistics.count());
  }
  state.SetItemsProcessed(state.iterations() * rows.rows());
}

BENCHMARK(class_scatter)
    ->ArgName("d")
    ->Arg(128)
    ->Arg(768)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
