// SPDX-License-Identifier: Apache-2.0
// Calibration at the size of 700 classes: fits and measures against one softmax pass of the same
// table, training of the temperature network against its bare matrix products; in turns.
#include <chrono>
#include <vector>

#include <benchmark/benchmark.h>

#include "tyto/calibration/score_calibrator.hpp"
#include "tyto/calibration/temperature_fit.hpp"
#include "tyto/calibration/temperature_net.hpp"
#include "tyto/core/random.hpp"
#include "tyto/math/score_rows.hpp"
#include "tyto/measure/calibration/by_class.hpp"
#include "tyto/measure/calibration/confidence.hpp"

namespace {

using tyto::Dense;
using tyto::Index;

template <class Call>
double seconds(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Over-confident: the right class ahead by 6 of noise of 4, times 2.
struct Drawn {
  Dense<double> logits;
  std::vector<Index> truth;

  Drawn(Index n, Index k) : logits(n, k) {
    tyto::Rng rng(1, "logits");
    for (Index i = 0; i < n; ++i) {
      truth.push_back(rng.below(k));
      // Sums of halves of words: near enough to normal, and quick to draw.
      for (Index j = 0; j < k; ++j) {
        const std::uint64_t bits = rng.bits();
        const double sum = static_cast<double>((bits & 0xffff) + ((bits >> 16) & 0xffff) +
                                               ((bits >> 32) & 0xffff) + (bits >> 48));
        logits(i, j) = (sum / 65536.0 - 2.0) * 7.0;
      }
      logits(i, truth.back()) += 12.0;
    }
  }
};

const Drawn& drawn() {
  static const Drawn made(100000, 700);
  return made;
}

void softmax_pass(Dense<double>& out) {
  out = tyto::score_probabilities(drawn().logits);
  benchmark::DoNotOptimize(out.data());
}

void fit_temperature(benchmark::State& state) {
  Dense<double> p;
  double pass_s = 0.0;
  double fit_s = 0.0;
  tyto::TemperatureFit fit;
  for (auto _ : state) {
    pass_s += seconds([&] { softmax_pass(p); });
    const double took =
        seconds([&] { fit = tyto::fit_temperature<double>(drawn().logits, drawn().truth); });
    fit_s += took;
    state.SetIterationTime(took);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["softmax_ms"] = 1e3 * pass_s / rounds;
  state.counters["passes"] = static_cast<double>(fit.passes);
  // The first look at the table and the part of the rows that leads the way count as well.
  state.counters["times_softmax_a_pass"] = fit_s / pass_s / static_cast<double>(fit.passes);
  state.counters["temperature"] = fit.temperature;
}

BENCHMARK(fit_temperature)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);

void all_measures(benchmark::State& state) {
  Dense<double> p;
  double pass_s = 0.0;
  double all_s = 0.0;
  for (auto _ : state) {
    pass_s += seconds([&] { softmax_pass(p); });
    const double took = seconds([&] {
      const auto samples = tyto::score_samples(drawn().logits, drawn().truth);
      benchmark::DoNotOptimize(tyto::confidence_measures(samples, {}));
      benchmark::DoNotOptimize(tyto::column_errors(drawn().logits, samples, 15));
      benchmark::DoNotOptimize(tyto::class_reliability(samples, 10));
    });
    all_s += took;
    state.SetIterationTime(took);
  }
  state.counters["softmax_ms"] = 1e3 * pass_s / static_cast<double>(state.iterations());
  state.counters["times_softmax"] = all_s / pass_s;
}

BENCHMARK(all_measures)->UseManualTime()->Iterations(5)->Unit(benchmark::kMillisecond);

// One epoch of all samples at once: forward, backward, Adam. The bound is the two products with the
// features, of which nothing can be spared.
void caring_epoch(benchmark::State& state) {
  const Index n = 20000;
  const Index d = 2048;
  const Index hidden = state.range(0);
  tyto::Rng rng(2, "features");
  Dense<double> features(n, d);
  for (double& one : features.reshaped()) {
    one = rng.uniform() - 0.5;
  }
  const Drawn small(n, 34);
  tyto::TemperatureNet net(d, hidden);
  for (double& weight : net.all) {
    weight = 0.05 * rng.normal();
  }
  net.b2() = 1.0;
  tyto::Adam adam(net.all.size(), 0.005, 1e-6);
  Dense<double> forward(n, hidden);
  Dense<double> backward(hidden, d);
  double product_s = 0.0;
  double epoch_s = 0.0;
  for (auto _ : state) {
    product_s += seconds([&] {
      forward.noalias() = features * net.w1().transpose();
      backward.noalias() = forward.transpose() * features;
      benchmark::DoNotOptimize(backward.data());
    });
    const double took = seconds([&] {
      adam.step(net.all, tyto::pass(net, small.logits, small.truth, features, true).gradient);
    });
    epoch_s += took;
    state.SetIterationTime(took);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["gemm_ms"] = 1e3 * product_s / rounds;
  state.counters["times_gemm"] = epoch_s / product_s;
  state.counters["samples_per_s"] = static_cast<double>(n) * rounds / epoch_s;
}

BENCHMARK(caring_epoch)
    ->ArgName("hidden")
    ->Arg(16)
    ->Arg(128)
    ->UseManualTime()
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);

}  // namespace
