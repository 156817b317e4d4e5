// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/quick_bootstrap.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tyto/measure/headline.hpp"
#include "tyto/measure/phase_series.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/record/memory_record.hpp"

namespace tyto {
namespace {

// Two increments of `n` samples of six classes, four known; a tenth are called unknown, some by a
// class that is not known, scores tie; the second increment comes in two batches, and a class that
// is novel in the first of them is known in the second.
std::unique_ptr<MemoryRecord> drawn_record(int n) {
  Rng rng(11);
  const std::vector<std::string> classes{"a", "b", "c", "d", "e", "f"};
  Truth truth;
  std::vector<Phase> phases;
  for (const PhaseKey& key :
       {PhaseKey{1, "pre", "test"}, PhaseKey{2, "pre", "test", 1}, PhaseKey{2, "pre", "test", 2}}) {
    Phase phase;
    phase.key = key;
    for (int k = 0; k < (key.batch == 2 ? 5 : 4); ++k) {
      phase.space.add_known(classes[static_cast<std::size_t>(k)]);
    }
    phase.known = phase.space.known_names();
    phase.space.add_discovered();
    phase.top.resize(n, 1);
    phase.top_probability = Matrix::Constant(n, 1, 0.5F);
    for (Index i = 0; i < n; ++i) {
      phase.sample.push_back(static_cast<SampleId>(truth.label.size()));
      truth.label.push_back(classes[static_cast<std::size_t>(rng.below(6))]);
      truth.name.push_back("s" + std::to_string(truth.name.size()));
      const auto own = phase.space.find(truth.label.back());
      phase.top(i, 0) = own && rng.uniform() < 0.6
                            ? static_cast<std::int32_t>(*own)
                            : static_cast<std::int32_t>(rng.below(phase.space.size()));
      phase.novelty.push_back(static_cast<float>(rng.below(40)) + (own ? 0.0F : 10.0F));
    }
    phases.push_back(std::move(phase));
  }
  auto record = std::make_unique<MemoryRecord>(truth);
  for (Phase& phase : phases) {
    record->add(std::move(phase));
  }
  return record;
}

TEST(QuickIntervals, are_those_of_the_general_bootstrap) {
  for (const int n : {3, 40, 300}) {
    const auto record = drawn_record(n);
    const auto series = view_series(*record, {});
    ASSERT_EQ(series.size(), 1U);
    std::vector<MeasureColumn> columns;
    for (const HeadlineNumber& number : headline_legend(find_protocol("owl").headline)) {
      for (const View view : kViews) {
        if (view_name(view) == number.view && number.measure != "reaction_time" &&
            number.measure != "forgetting") {
          columns.push_back({&find_measure(number.measure), view});
        }
      }
    }
    ASSERT_EQ(columns.size(), 5U);
    for (const char* measure : {"accuracy", "mcc", "nmi"}) {
      for (const View view : find_measure(measure).views) {
        columns.push_back({&find_measure(measure), view});
      }
    }
    BootstrapOptions options;
    options.replicates = 50;
    Progress quiet;
    const auto expected = bootstrap_intervals(series[0].steps, columns, options, quiet).back();
    const auto quick = quick_intervals(series[0].steps, columns, options);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      ASSERT_EQ(quick[c].low.has_value(), expected[c].low.has_value()) << columns[c].spec->name;
      if (quick[c].low) {
        EXPECT_NEAR(*quick[c].low, *expected[c].low, 1e-12) << columns[c].spec->name;
        EXPECT_NEAR(*quick[c].high, *expected[c].high, 1e-12) << columns[c].spec->name;
      }
    }
  }
}

// Of a group of few samples among many names, to the last bit: a page is not to change by it.
TEST(QuickIntervals, of_matrices_do_not_hang_on_names_that_do_not_occur) {
  const auto record = drawn_record(30);
  std::vector<PhaseSeries> series = view_series(*record, {});
  for (PhaseView& step : series[0].steps) {
    step = step.pick(std::vector<Index>{0, 3, 4, 9, 17, 21, 22, 28});
    std::vector<std::string> names{step.names.front()};
    std::vector<std::uint8_t> is_known{step.is_known.front()};
    for (int i = 0; i < 50; ++i) {  // known, and met by nobody
      names.push_back("other " + std::to_string((i * 7 + step.key.step) % 60));
      is_known.push_back(1);
    }
    names.insert(names.end(), step.names.begin() + 1, step.names.end());
    is_known.insert(is_known.end(), step.is_known.begin() + 1, step.is_known.end());
    step.names = names;
    step.is_known = is_known;
    const auto moved = [](std::int32_t place) { return place > 0 ? place + 50 : place; };
    std::transform(step.actual.begin(), step.actual.end(), step.actual.begin(), moved);
    std::transform(step.decision.begin(), step.decision.end(), step.decision.begin(), moved);
    step.ranked = step.ranked.unaryExpr(moved).eval();
    step.count();
  }
  std::vector<MeasureColumn> columns;
  for (const char* measure : {"accuracy", "mcc", "nmi"}) {
    for (const View view : find_measure(measure).views) {
      columns.push_back({&find_measure(measure), view});
    }
  }
  BootstrapOptions options;
  options.replicates = 60;
  Progress quiet;
  const auto expected = bootstrap_intervals(series[0].steps, columns, options, quiet).back();
  const auto quick = quick_intervals(series[0].steps, columns, options);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    EXPECT_EQ(quick[c].low, expected[c].low) << columns[c].spec->name;
    EXPECT_EQ(quick[c].high, expected[c].high) << columns[c].spec->name;
  }
}

TEST(QuickIntervals, are_missing_for_measures_it_does_not_know) {
  const auto record = drawn_record(20);
  const auto series = view_series(*record, {});
  const std::vector<MeasureColumn> columns{{&find_measure("ari"), View::raw},
                                           {&find_measure("reaction_time"), View::detection}};
  for (const Interval& interval : quick_intervals(series[0].steps, columns, {})) {
    EXPECT_FALSE(interval.low || interval.high);
  }
}

}  // namespace
}  // namespace tyto
