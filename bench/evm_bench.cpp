// SPDX-License-Identifier: Apache-2.0
// Fitting an Extreme Value Machine, tails, Weibulls and set cover, against the matrix product of
// all pairs of its samples, in turns in the same run. A part of that product is timed before and
// after each fit and scaled up. TYTO_EVM_ROWS=218371 in the environment is the size of KOWL-718's
// training set; the classes then number 409.
#include <algorithm>
#include <cstdlib>

#include "peers.hpp"
#include <benchmark/benchmark.h>

#include "tyto/core/parallel.hpp"
#include "tyto/parts/extremes/extreme_vectors.hpp"

namespace {

using tyto::Index;
using tyto::Matrix;
using tyto::peers::memory_mb;
using tyto::peers::seconds;

constexpr Index kWidth = 768, kTail = 100, kPerClass = 534, kBlock = 2048;

Index rows_wanted() {
  const char* text = std::getenv("TYTO_EVM_ROWS");
  return text == nullptr ? 6000 : std::max<Index>(std::atoll(text), 2 * kPerClass);
}

struct Data {
  Matrix rows;
  std::vector<std::int32_t> classes;
};

Data drawn(Index n) {
  const Index classes = (n + kPerClass - 1) / kPerClass;
  Data data{Matrix(n, kWidth), std::vector<std::int32_t>(static_cast<std::size_t>(n))};
  tyto::for_each_index(n, [&](Index i) {
    const Index c = i % classes;
    data.classes[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(c);
    tyto::Rng mean(2, "means", static_cast<std::uint64_t>(c));
    tyto::Rng own(1, "rows", static_cast<std::uint64_t>(i));
    for (Index j = 0; j < kWidth; ++j) {
      data.rows(i, j) = static_cast<float>(0.3 * mean.normal() + own.normal());
    }
  });
  return data;
}

// Of all pairs, from one block of rows against all.
double product_seconds(const Matrix& rows) {
  Matrix products(kBlock, kBlock);
  const Index block = std::min(kBlock, rows.rows());
  const double some = seconds([&] {
    tyto::in_blocks(rows.rows(), kBlock, [&](Index begin, Index count) {
      products.topLeftCorner(block, count).noalias() =
          rows.topRows(block) * rows.middleRows(begin, count).transpose();
      benchmark::DoNotOptimize(products.data());
    });
  });
  return some * static_cast<double>(rows.rows()) / static_cast<double>(block);
}

void fit_evm(benchmark::State& state) {
  Data data = drawn(rows_wanted());
  const auto n = data.rows.rows();
  double product_s = 0.0;
  double fit_s = 0.0;
  double kept = 0.0;
  for (auto _ : state) {
    const double before = product_seconds(data.rows);
    Matrix rows = data.rows;
    tyto::ExtremeVectors vectors({{}, kTail, 0.5, 0.7, 1});
    const double fit = seconds([&] { vectors.add(std::move(rows), data.classes, [] {}); });
    product_s += 0.5 * (before + product_seconds(data.rows));
    fit_s += fit;
    kept = static_cast<double>(vectors.points().rows());
    state.SetIterationTime(fit);
  }
  state.counters["rows"] = static_cast<double>(n);
  state.counters["kept"] = kept;
  state.counters["all_pairs_gemm_s"] = product_s / static_cast<double>(state.iterations());
  state.counters["times_gemm"] = fit_s / product_s;
  // The features stand twice: those given and those of the model.
  state.counters["peak_gb_beyond_features"] =
      memory_mb("VmHWM") / 1024.0 - 2.0 * static_cast<double>(n * kWidth) * 4.0 / (1 << 30);
}

BENCHMARK(fit_evm)->UseManualTime()->Unit(benchmark::kMillisecond);

void classify_evm(benchmark::State& state) {
  const Data data = drawn(rows_wanted());
  tyto::ExtremeVectors vectors({{}, kTail, 0.5, 1.0, 1});
  const Index some = std::min<Index>(data.rows.rows(), 6000);
  vectors.add(data.rows.topRows(some), {data.classes.begin(), data.classes.begin() + some}, [] {});
  const Matrix queries = drawn(2048).rows;
  Matrix products(queries.rows(), some);
  double product_s = 0.0;
  double answer_s = 0.0;
  for (auto _ : state) {
    product_s += seconds([&] {
      products.noalias() = queries * vectors.points().transpose();
      benchmark::DoNotOptimize(products.data());
    });
    const double answer =
        seconds([&] { benchmark::DoNotOptimize(vectors.strangeness_of(queries).data()); });
    answer_s += answer;
    state.SetIterationTime(answer);
  }
  state.counters["times_gemm"] = answer_s / product_s;
}

BENCHMARK(classify_evm)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
