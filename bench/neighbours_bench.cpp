// SPDX-License-Identifier: Apache-2.0
// Exact neighbours against the bare matrix product of the same shape, in turns in the same run.
#include "peers.hpp"
#include <benchmark/benchmark.h>

#include "tyto/math/class_statistics.hpp"
#include "tyto/math/neighbours.hpp"

namespace {

using tyto::Index;
using tyto::Matrix;
using tyto::peers::drawn;
using tyto::peers::plain_product;
using tyto::peers::seconds;

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
    product_s += seconds(
        [&] { plain_product(a.data(), queries, b.data(), references, d, products.data()); });
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
