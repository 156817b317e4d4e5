// SPDX-License-Identifier: Apache-2.0
// Every measure of one phase of 700,000 predictions of 718 classes, five ranks kept, against one
// sort of as many floats in the same run.
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "tyto/core/random.hpp"
#include "tyto/measure/formulas/matching.hpp"
#include "tyto/measure/formulas/ordered_confusion.hpp"
#include "tyto/measure/registry.hpp"

namespace {

using tyto::Index;

constexpr Index kSamples = 700000;
constexpr Index kClasses = 718;
constexpr Index kKnown = 600;

struct Case {
  tyto::Phase phase;
  tyto::Truth truth;
};

// 80 % of the known samples would be named right; every second wrong name is a near one. Half of
// the novel samples are called unknown or discovered, the others take a known name.
Case drawn() {
  tyto::Rng rng(1, "measures");
  Case made;
  made.phase.key = {10, "pre", "test"};
  std::vector<std::string> names;
  for (Index k = 0; k < kClasses; ++k) {
    names.push_back("class " + std::to_string(k));
    if (k < kKnown) {
      made.phase.space.add_known(names.back());
      made.phase.known.push_back(names.back());
    }
  }
  for (int i = 0; i < 40; ++i) {
    made.phase.space.add_discovered();
  }
  made.phase.shown = made.phase.known;
  made.phase.top.resize(kSamples, 5);
  for (Index i = 0; i < kSamples; ++i) {
    const Index k = rng.below(kClasses);
    made.truth.label.push_back(names[static_cast<std::size_t>(k)]);
    made.phase.sample.push_back(static_cast<tyto::SampleId>(i));
    const bool novel = k >= kKnown;
    Index first = 1 + k;
    if (novel || rng.below(10) >= 8) {
      first = rng.below(2) > 0 ? 1 + (k + 1 + rng.below(12)) % kKnown : 1 + rng.below(kKnown);
    }
    if (rng.below(20) < (novel ? 10 : 1)) {
      first = rng.below(2) == 0 ? 0 : kKnown + 1 + (k + rng.below(3)) % 40;
    }
    for (Index rank = 0; rank < 5; ++rank) {
      made.phase.top(i, rank) =
          static_cast<std::int32_t>(rank == 0 ? first : 1 + (first + k * (rank - 1)) % kKnown);
    }
    made.phase.novelty.push_back(static_cast<float>(rng.normal() + (novel ? 1.0 : 0.0)));
  }
  return made;
}

const Case& the_case() {
  static const Case made = drawn();
  return made;
}

template <class Call>
double seconds(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Times `call` and one sort of the novelty scores in turns.
template <class Call>
void against_a_sort(benchmark::State& state, const Call& call) {
  double sort_s = 0.0;
  double call_s = 0.0;
  for (auto _ : state) {
    std::vector<float> scores = the_case().phase.novelty;
    sort_s += seconds([&] { std::sort(scores.begin(), scores.end()); });
    benchmark::DoNotOptimize(scores.data());
    const double took = call();
    call_s += took;
    state.SetIterationTime(took);
  }
  state.counters["sort_ms"] = 1e3 * sort_s / static_cast<double>(state.iterations());
  state.counters["times_sort"] = call_s / sort_s;
}

// A fresh view each time: what measures share is worked out within.
double measured(const std::vector<const tyto::MeasureSpec*>& specs, const tyto::PhaseView& view) {
  const tyto::PhaseView fresh = view;
  return seconds([&] {
    for (const tyto::MeasureSpec* spec : specs) {
      for (const tyto::View of : spec->views) {
        benchmark::DoNotOptimize(spec->value(fresh, of));
      }
    }
  });
}

const tyto::PhaseView& the_view() {
  static const tyto::PhaseView view = tyto::view_phase(the_case().phase, the_case().truth);
  return view;
}

void view_phase(benchmark::State& state) {
  against_a_sort(state, [] {
    return seconds([] {
      benchmark::DoNotOptimize(tyto::view_phase(the_case().phase, the_case().truth).closed_right);
    });
  });
}

// A fixed number of rounds: the time of some measures is too short to fill half a second.
constexpr int kRounds = 5;

BENCHMARK(view_phase)->UseManualTime()->Iterations(kRounds)->Unit(benchmark::kMillisecond);

void ordered_confusion(benchmark::State& state) {
  against_a_sort(state, [] {
    return seconds([] { benchmark::DoNotOptimize(tyto::ordered_confusion(the_view()).ranks()); });
  });
}

BENCHMARK(ordered_confusion)->UseManualTime()->Iterations(kRounds)->Unit(benchmark::kMillisecond);

void all_measures(benchmark::State& state) {
  std::vector<const tyto::MeasureSpec*> specs;
  for (const tyto::MeasureSpec& spec : tyto::measure_specs()) {
    specs.push_back(&spec);
  }
  against_a_sort(state, [&] { return measured(specs, the_view()); });
  state.counters["accuracy"] = *tyto::find_measure("accuracy").value(the_view(), tyto::View::raw);
}

BENCHMARK(all_measures)->UseManualTime()->Iterations(kRounds)->Unit(benchmark::kMillisecond);

// Matching groups and classes: counts near the diagonal, and counts without any order.
void match_groups(benchmark::State& state) {
  tyto::Rng rng(2, "matching");
  tyto::Confusion::Cells cells;
  const bool ordered = state.range(0) != 0;
  for (Index i = 0; i < kClasses; ++i) {
    for (Index j = 0; j < kClasses; ++j) {
      const Index most = ordered && i == j ? 1000 : 10;
      cells.push_back({{i, j}, 1 + rng.below(ordered ? most : 1000)});
    }
  }
  std::vector<std::string> names;
  for (Index k = 0; k < kClasses; ++k) {
    names.push_back(std::to_string(k));
  }
  const std::vector<std::string_view> labels(names.begin(), names.end());
  const auto matrix = tyto::Confusion::from(labels, cells);
  for (auto _ : state) {
    benchmark::DoNotOptimize(tyto::match_groups(matrix).right);
  }
}

BENCHMARK(match_groups)->ArgName("diagonal")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

// One by one; what a measure shares with others is counted to each.
const bool kEachRegistered = [] {
  for (const tyto::MeasureSpec& spec : tyto::measure_specs()) {
    benchmark::RegisterBenchmark(("measure/" + spec.name).c_str(),
                                 [&spec](benchmark::State& state) {
                                   against_a_sort(state,
                                                  [&] { return measured({&spec}, the_view()); });
                                 })
        ->UseManualTime()
        ->Iterations(kRounds)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
