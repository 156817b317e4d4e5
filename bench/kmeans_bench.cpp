// SPDX-License-Identifier: Apache-2.0
// One iteration of semi-supervised k-means (assign all rows, move all centres) against one bare
// product of rows and centres by BLAS, in turns in the same run. TYTO_BENCH_ROWS sets the rows;
// without it 100,000 x 768 in 200 groups, a fifth of the rows pinned.
#include <cstdlib>

#include "peers.hpp"
#include <benchmark/benchmark.h>

#include "tyto/cluster/kmeans.hpp"

namespace {

using tyto::Index;
using tyto::Matrix;
using tyto::peers::plain_product;
using tyto::peers::seconds;

constexpr Index kWidth = 768;
constexpr Index kGroups = 200;
constexpr Index kBlock = 4096;

// Rows around centres of their own, as mixed as features are; the first half of the groups has
// pinned rows.
struct Mixed {
  Matrix rows, centres;
  std::vector<std::int32_t> pinned;

  explicit Mixed(Index n)
      : rows(tyto::peers::drawn(n, kWidth, "rows")),
        centres(tyto::peers::drawn(kGroups, kWidth, "centres")) {
    for (Index i = 0; i < n; ++i) {
      const Index own = i % kGroups;
      rows.row(i) += 0.5F * centres.row(own);
      pinned.push_back(own < kGroups / 2 && i % 5 < 2 ? static_cast<std::int32_t>(own) : -1);
    }
  }
};

double time_of(const Mixed& mixed, Index iterations, Index& made) {
  tyto::KMeansOptions options;
  options.iterations = iterations;
  options.tolerance = -1.0;
  options.pinned = mixed.pinned;
  options.draw_pinned = false;
  options.trials = 1;
  tyto::KMeansResult found;
  const double time =
      seconds([&] { found = tyto::k_means(mixed.rows, kGroups, tyto::Rng(1), options); });
  made = found.iterations;
  return time;
}

void ss_kmeans_iteration(benchmark::State& state) {
  const char* asked = std::getenv("TYTO_BENCH_ROWS");
  const Mixed mixed(asked == nullptr ? 100000 : std::atol(asked));
  Matrix products(kBlock, kGroups);
  double ours = 0.0;
  double bare = 0.0;
  for (auto _ : state) {
    // Both begin alike, so that the difference is iterations alone.
    Index few = 0;
    Index many = 0;
    const double start = time_of(mixed, 1, few);
    const double time = time_of(mixed, 9, many) - start;
    const double each = time / static_cast<double>(std::max<Index>(1, many - few));
    for (int i = 0; i < 4; ++i) {
      bare += 0.25 * seconds([&] {
                for (Index begin = 0; begin < mixed.rows.rows(); begin += kBlock) {
                  const Index count = std::min(kBlock, mixed.rows.rows() - begin);
                  plain_product(&mixed.rows(begin, 0), count, mixed.centres.data(), kGroups, kWidth,
                                products.data());
                }
              });
    }
    ours += each;
    state.SetIterationTime(each);
    state.counters["iterations"] = static_cast<double>(many);
  }
  state.counters["times_product"] = ours / bare;
  state.counters["product_ms"] = 1e3 * bare / static_cast<double>(state.iterations());
}

BENCHMARK(ss_kmeans_iteration)->UseManualTime()->Iterations(2)->Unit(benchmark::kMillisecond);

}  // namespace
