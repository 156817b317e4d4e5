// SPDX-License-Identifier: Apache-2.0
// FINCH against the peers of its costly step, in turns in the same run:
// - level_0: first neighbours and early exit against a plain blocked search by OpenBLAS over the
//   full square;
// - all_levels: the whole hierarchy against the bare products of the upper triangle at the rate
//   measured before and after. TYTO_BENCH_ROWS=218371 sets its size (0.7 GB of features then, and
//   minutes); without it a size that takes seconds.
// - approximate: the same with neighbours looked for in lists, and their recall.
// peak_mb is the greatest memory of the process beyond what it had with the features in place.
#include <cstdlib>
#include <string>

#include "peers.hpp"
#include <benchmark/benchmark.h>

#include "tyto/cluster/approximate.hpp"
#include "tyto/cluster/group_means.hpp"
#include "tyto/cluster/methods/finch.hpp"
#include "tyto/core/parallel.hpp"

namespace {

using tyto::Index;
using tyto::Matrix;
using tyto::peers::memory_mb;
using tyto::peers::plain_product;
using tyto::peers::seconds;

constexpr Index kBlock = 4096;

// `classes` Gaussians of one width around centres of another, as mixed as features are.
Matrix mixture(Index n, Index d, Index classes) {
  const tyto::Rng rng(1, "mixture");
  Matrix centres(classes, d);
  tyto::Rng middle = rng.fork("centres");
  for (Index i = 0; i < centres.size(); ++i) {
    centres.data()[i] = static_cast<float>(middle.normal());
  }
  Matrix out(n, d);
  tyto::for_each_index(n, [&](Index i) {
    tyto::Rng own = rng.fork(std::to_string(i));
    const Index c = own.below(classes);
    for (Index j = 0; j < d; ++j) {
      out(i, j) = centres(c, j) + static_cast<float>(own.normal());
    }
  });
  return out;
}

void plain_search(const Matrix& rows, std::vector<Index>& nearest) {
  const Index n = rows.rows();
  const Matrix unit = rows.rowwise().normalized();
  Matrix products(std::min(n, kBlock), std::min(n, kBlock));
  std::vector<float> most(static_cast<std::size_t>(n), -2.0F);
  for (Index top = 0; top < n; top += kBlock) {
    const Index height = std::min(kBlock, n - top);
    for (Index left = 0; left < n; left += kBlock) {
      const Index width = std::min(kBlock, n - left);
      plain_product(&unit(top, 0), height, &unit(left, 0), width, rows.cols(), products.data());
      tyto::for_each_index(height, [&](Index i) {
        Eigen::Map<Eigen::VectorXf> row(products.data() + i * width, width);
        if (top + i >= left && top + i < left + width) {
          row[top + i - left] = -2.0F;
        }
        Index at = 0;
        const float best = row.maxCoeff(&at);
        if (best > most[static_cast<std::size_t>(top + i)]) {
          most[static_cast<std::size_t>(top + i)] = best;
          nearest[static_cast<std::size_t>(top + i)] = left + at;
        }
      });
    }
  }
}

void level_0(benchmark::State& state) {
  const Matrix rows = mixture(state.range(0), state.range(1), 200);
  std::vector<Index> nearest(static_cast<std::size_t>(rows.rows()));
  const double before = memory_mb("VmRSS");
  double peak = 0.0;
  double ours = 0.0;
  double plain = 0.0;
  for (auto _ : state) {
    const double time = seconds([&] {
      const tyto::RowDistance<float> distance(rows, tyto::Metric::cosine);
      const tyto::FirstNeighbours first = tyto::first_neighbours(distance);
      benchmark::DoNotOptimize(tyto::linked_groups(distance, first).data());
      benchmark::DoNotOptimize(tyto::longest_link(distance, first, tyto::LinkWeight::shared));
    });
    peak = peak > 0.0 ? peak : memory_mb("VmHWM") - before;
    plain += seconds([&] { plain_search(rows, nearest); });
    ours += time;
    state.SetIterationTime(time);
  }
  state.counters["times_plain"] = ours / plain;
  state.counters["plain_ms"] = 1e3 * plain / static_cast<double>(state.iterations());
  state.counters["peak_mb"] = peak;
}

BENCHMARK(level_0)
    ->ArgNames({"n", "d"})
    ->Args({20000, 256})
    ->Args({50000, 256})
    ->UseManualTime()
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond);

double product_rate(const Matrix& rows) {  // multiplications per second
  const Index n = std::min(kBlock, rows.rows());
  Matrix products(n, n);
  const double time = seconds([&] {
    for (int i = 0; i < 4; ++i) {
      plain_product(rows.data(), n, rows.data(), n, rows.cols(), products.data());
    }
  });
  return 4.0 * static_cast<double>(n * n * rows.cols()) / time;
}

void all_levels(benchmark::State& state) {
  const char* asked = std::getenv("TYTO_BENCH_ROWS");
  const Index n = asked == nullptr ? 20000 : std::atol(asked);
  const Matrix rows = mixture(n, 768, 700);
  const double before = memory_mb("VmRSS");
  double bound = 0.0;
  double ours = 0.0;
  std::size_t levels = 0;
  for (auto _ : state) {
    const double first_rate = product_rate(rows);
    const double time = seconds([&] { levels = tyto::finch_levels(rows).levels.size(); });
    const double rate = 0.5 * (first_rate + product_rate(rows));
    bound += 0.5 * static_cast<double>(n) * static_cast<double>(n - 1) * 768.0 / rate;
    ours += time;
    state.SetIterationTime(time);
  }
  state.counters["rows"] = static_cast<double>(n);
  state.counters["levels"] = static_cast<double>(levels);
  state.counters["times_bound"] = ours / bound;
  state.counters["peak_mb"] = memory_mb("VmHWM") - before;
}

BENCHMARK(all_levels)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

// All levels by approximate first neighbours, and how often these are the nearest.
// TYTO_BENCH_EXACT=1 also takes them exactly, in the same run, which is most of what all_levels
// takes.
void approximate(benchmark::State& state) {
  const char* asked = std::getenv("TYTO_BENCH_ROWS");
  const Index n = asked == nullptr ? 20000 : std::atol(asked);
  const Matrix rows = mixture(n, 768, 700);
  const double before = memory_mb("VmRSS");
  std::size_t levels = 0;
  for (auto _ : state) {
    tyto::ApproximateNeighbours found;
    const double search =
        seconds([&] { found = tyto::approximate_neighbours(rows, tyto::Metric::cosine); });
    const double rest =
        seconds([&] { levels = tyto::finch_levels(rows, {}, &found.first).levels.size(); });
    state.SetIterationTime(search + rest);
    state.SetLabel(found.method);
    state.counters["recall"] = found.recall;
    state.counters["search_ms"] = 1e3 * search;
    state.counters["peak_mb"] = memory_mb("VmHWM") - before;
    if (std::getenv("TYTO_BENCH_EXACT") != nullptr) {
      const double exact = seconds([&] {
        const tyto::RowDistance<float> distance(rows, tyto::Metric::cosine);
        benchmark::DoNotOptimize(tyto::first_neighbours(distance).row.data());
      });
      state.counters["times_faster"] = exact / search;
    }
  }
  state.counters["rows"] = static_cast<double>(n);
  state.counters["levels"] = static_cast<double>(levels);
}

BENCHMARK(approximate)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
