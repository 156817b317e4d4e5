// SPDX-License-Identifier: Apache-2.0
// Log densities under the mixtures of all classes against the bare matrix products they rest on, in
// turns in the same run. At the size of KOWL-718: --benchmark_filter=full
#include <algorithm>
#include <string>

#include "peers.hpp"
#include <benchmark/benchmark.h>

#include "tyto/parts/gaussian/gaussian_mixture.hpp"

namespace {

using tyto::Index;
using tyto::Matrix;
using tyto::peers::drawn;
using tyto::peers::memory_mb;
using tyto::peers::plain_product;
using tyto::peers::seconds;

constexpr Index kClasses = 718;
constexpr Index kBlock = 4096;  // rows, as a predictor asks for them

// Components with means and factors of their own, dealt to the classes in turn.
tyto::GaussianMixtures mixtures(Index components, Index d, Index rank) {
  const Matrix means = drawn(components, d, "means");
  const Matrix pool =
      drawn(rank * 8, d, "factors");  // factors repeat: the time does not depend on them
  std::vector<tyto::Gaussian> all;
  std::vector<Index> owner;
  for (Index k = 0; k < components; ++k) {
    all.push_back({means.row(k).transpose().cast<double>(), Eigen::VectorXd::Ones(1),
                   pool.middleRows(rank * (k % 8), rank).transpose()});
    owner.push_back(k * kClasses / components);
  }
  const tyto::Frame frame =
      tyto::Frame::whitening(Eigen::VectorXd::Zero(d), Eigen::MatrixXd::Identity(d, d));
  const std::vector<double> weight(all.size(), 1.0);
  return {frame, all, owner, weight};
}

void measure(benchmark::State& state, Index n) {
  const Index components = state.range(0);
  const Index rank = state.range(1);
  const Index d = state.range(2);
  const tyto::GaussianMixtures model = mixtures(components, d, rank);
  const Matrix rows = drawn(std::min(n, kBlock), d, "rows");
  const Matrix panel = drawn(4096, d, "panel");
  Matrix products(rows.rows(), panel.rows());
  // Columns in all: a mean and the directions of each component, and the frame.
  const double panels =
      static_cast<double>(components * (rank + 1) + d) / static_cast<double>(panel.rows());
  double product_s = 0.0;
  double density_s = 0.0;
  for (auto _ : state) {
    double density = 0.0;
    for (Index begin = 0; begin < n; begin += kBlock) {
      const Index count = std::min(kBlock, n - begin);
      // As many of the products are done in each turn as give a steady rate.
      const double one = seconds([&] {
        for (int turn = 0; turn < 4; ++turn) {
          plain_product(rows.data(), count, panel.data(), panel.rows(), d, products.data());
        }
      });
      product_s += one / 4.0 * panels;
      density +=
          seconds([&] { benchmark::DoNotOptimize(model.log_density(rows.topRows(count)).data()); });
    }
    density_s += density;
    state.SetIterationTime(density);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["gemm_s"] = product_s / rounds;
  state.counters["times_gemm"] = density_s / product_s;
  state.counters["peak_mb"] = memory_mb("VmHWM");
}

void mixture_density(benchmark::State& state) {
  measure(state, 2048);
}

BENCHMARK(mixture_density)
    ->ArgNames({"components", "rank", "d"})
    ->Args({1000, 8, 256})
    ->Args({1000, 16, 768})
    ->UseManualTime()
    ->Unit(benchmark::kSecond);

void full(benchmark::State& state) {
  if (benchmark::GetBenchmarkFilter().find("full") == std::string::npos) {
    state.SkipWithError("takes minutes; ask for it by --benchmark_filter=full");
    return;
  }
  measure(state, 68849);
}

BENCHMARK(full)
    ->ArgNames({"components", "rank", "d"})
    ->Args({2000, 8, 768})
    ->Args({3000, 12, 768})
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
