// SPDX-License-Identifier: Apache-2.0
// An evaluator who forgets: what was not shown for a while is novel again.
#include <algorithm>
#include <map>
#include <set>

#include "measure/toy_record.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

namespace novel_again {

// A was last shown at 3, B at 2, X at 0; Y never was. All are called by name but one X.
Phase fourth_step() {
  Phase phase = toy_phase({4, "pre", "test"}, {"A", "B", "X"}, {"A", "B", "X", "unknown", "A"}, 0);
  phase.shown = {"A", "B", "X"};
  phase.last_shown = {3, 2, 0};
  return phase;
}

Truth fourth_truth() {
  return toy_truth({"A", "B", "X", "X", "Y"});
}

std::vector<int> novel_after(Index increments) {
  const PhaseView view = view_phase(fourth_step(), fourth_truth(), NovelTo::again(increments));
  return {view.is_novel.begin(), view.is_novel.end()};
}

TEST(NovelAgain, is_what_was_not_shown_in_the_last_increments) {
  EXPECT_THAT(novel_after(1), ElementsAre(0, 1, 1, 1, 1));  // A alone was shown at 3
  EXPECT_THAT(novel_after(2), ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(novel_after(3), ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(novel_after(4), ElementsAre(0, 0, 0, 0, 1));  // as to who never forgets
  const PhaseView never = view_phase(fourth_step(), fourth_truth(), NovelTo::evaluator);
  EXPECT_THAT(std::vector<int>(never.is_novel.begin(), never.is_novel.end()),
              ElementsAre(0, 0, 0, 0, 1));
}

TEST(NovelAgain, is_a_reference_of_its_own_in_the_table) {
  const ToyRecord record({fourth_step()}, fourth_truth());
  std::vector<std::string> told;
  for (const MeasureRow& row :
       measure_run(record, {.novel_to = references(2), .measures = {"detection_rate"}})) {
    if (row.step != kAllSteps) {
      told.push_back(fmt::format("{} {:.4f}", row.novel_to, row.value.value_or(-1)));
    }
  }
  // To the predictor and to who never forgets Y alone is novel, and it was called A. Two X are
  // novel again; one of them was called unknown. The name X is then no known one, so that who says
  // X calls it novel.
  EXPECT_THAT(told, ElementsAre("predictor 0.0000", "evaluator 0.0000",
                                fmt::format("evaluator_again_2 {:.4f}", 2. / 3)));
  EXPECT_EQ(references(0), (std::vector{NovelTo::predictor, NovelTo::evaluator}));
}

TEST(NovelAgain, is_refused_where_the_record_does_not_say_when) {
  Phase phase = fourth_step();
  phase.last_shown.clear();
  try {
    static_cast<void>(view_phase(phase, fourth_truth(), NovelTo::again(2)));
    FAIL();
  } catch (const Error& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("004_pre_test: the record does not say when each class"));
  }
}

// By looking through all that was shown, for random worlds.
TEST(NovelAgain, is_as_a_search_through_the_past_finds_it) {
  Rng rng(11, "novel_again");
  for (int round = 0; round < 200; ++round) {
    const Index steps = 2 + rng.below(8);
    const Index classes = 1 + rng.below(6);
    std::vector<std::set<std::string>> shown_at(static_cast<std::size_t>(steps));
    for (auto& here : shown_at) {
      for (Index c = 0; c < classes; ++c) {
        if (rng.below(3) == 0) {
          here.insert(fmt::format("c{}", c));
        }
      }
    }
    const Index now = rng.below(steps);
    const Index window = 1 + rng.below(steps);
    Phase phase = toy_phase({now, "pre", "test"}, {"other"}, {}, 0);
    std::map<std::string, Index> last;
    for (Index step = 0; step < now; ++step) {
      for (const std::string& name : shown_at[static_cast<std::size_t>(step)]) {
        last[name] = step;
      }
    }
    phase.shown.clear();
    for (const auto& [name, step] : last) {
      phase.shown.push_back(name);
      phase.last_shown.push_back(step);
    }
    Truth truth;
    phase.top.resize(classes, 1);
    for (Index c = 0; c < classes; ++c) {
      truth.label.push_back(fmt::format("c{}", c));
      phase.sample.push_back(static_cast<SampleId>(c));
      phase.top(c, 0) = 0;
    }
    const PhaseView view = view_phase(phase, truth, NovelTo::again(window));
    for (Index c = 0; c < classes; ++c) {
      bool shown_lately = false;
      for (Index step = std::max<Index>(0, now - window); step < now; ++step) {
        shown_lately = shown_lately ||
                       shown_at[static_cast<std::size_t>(step)].contains(fmt::format("c{}", c));
      }
      EXPECT_EQ(view.is_novel[static_cast<std::size_t>(c)] != 0, !shown_lately)
          << "class " << c << " at " << now << " with a window of " << window;
    }
  }
}

}  // namespace novel_again
}  // namespace
}  // namespace tyto
