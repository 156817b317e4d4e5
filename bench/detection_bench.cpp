// SPDX-License-Identifier: Apache-2.0
// All measures of detection over ten million scores, against one sort of the same numbers as
// floats in the same run. In processor time: all of it is one thread.
#include <algorithm>
#include <ctime>
#include <vector>

#include <benchmark/benchmark.h>

#include "tyto/core/random.hpp"
#include "tyto/measure/detection/summary.hpp"

namespace {

using tyto::Index;

struct Scored {
  std::vector<double> score;
  std::vector<float> as_float;
  std::vector<std::uint8_t> is_novel;
};

// One in four is novel and a deviation higher; rounding makes ties.
Scored scored(Index n, bool ties) {
  tyto::Rng rng(1, "detection");
  Scored out;
  for (Index i = 0; i < n; ++i) {
    const bool novel = rng.below(4) == 0;
    double score = rng.normal() + (novel ? 1.0 : 0.0);
    score = ties ? static_cast<double>(static_cast<Index>(1000 * score)) : score;
    out.as_float.push_back(static_cast<float>(score));
    out.score.push_back(out.as_float.back());
    out.is_novel.push_back(novel ? 1 : 0);
  }
  return out;
}

double processor_s() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

void all_detection_measures(benchmark::State& state) {
  const Scored drawn = scored(state.range(0), state.range(1) != 0);
  tyto::DetectionOptions options;
  options.prior = 0.25;
  options.costs = tyto::DetectionCosts{10, 1, 0.01};
  options.budget = tyto::AlarmBudget{100, 86400, 0.01};
  double sort_s = 0.0;
  double call_s = 0.0;
  for (auto _ : state) {
    std::vector<float> copy = drawn.as_float;
    double start = processor_s();
    std::sort(copy.begin(), copy.end());
    sort_s += processor_s() - start;
    benchmark::DoNotOptimize(copy.data());
    start = processor_s();
    const tyto::DetectionCurve curve = tyto::detection_curve(drawn.score, drawn.is_novel);
    for (const auto rule : {tyto::ThresholdRule::max_recall, tyto::ThresholdRule::paper,
                            tyto::ThresholdRule::early2022}) {
      options.rule = rule;
      benchmark::DoNotOptimize(tyto::summarise_detection(curve, options).auroc);
    }
    benchmark::DoNotOptimize(tyto::cost_curve(curve, 100).data());
    const double took = processor_s() - start;
    call_s += took;
    state.SetIterationTime(took);
  }
  state.counters["sort_ms"] = 1e3 * sort_s / static_cast<double>(state.iterations());
  state.counters["times_sort"] = call_s / sort_s;
}

BENCHMARK(all_detection_measures)
    ->ArgNames({"scores", "ties"})
    ->Args({10'000'000, 0})
    ->Args({10'000'000, 1})
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
