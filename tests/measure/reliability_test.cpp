// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/calibration/reliability.hpp"

#include <cmath>
#include <limits>

#include "measure/toy_record.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/measure/calibration/by_epoch.hpp"
#include "tyto/measure/registry.hpp"
#include "tyto/measure/table.hpp"
#include "tyto/record/memory_record.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;

// A, B and C are known. Confidences 0.95, 0.95, 0.65, 0.65: one of each pair is right. The fifth
// sample, of X, is of no known class and counts nowhere.
Phase unsure_phase(PhaseKey key) {
  Phase phase = toy_phase(std::move(key), {"A", "B", "C"}, {"A", "A", "B", "C", "unknown"});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto entry = [&](const char* name) {
    return static_cast<std::int32_t>(phase.space.find(name).value());
  };
  phase.given_known.best = {entry("A"), entry("A"), entry("B"), entry("C"), entry("A")};
  phase.given_known.confidence = {0.95F, 0.95F, 0.65F, 0.65F, 0.5F};
  phase.given_known.log_true = {std::log(0.95F), std::log(0.04F), std::log(0.65F), std::log(0.3F),
                                nan};
  phase.given_known.squares = {0.9F, 0.9F, 0.5F, 0.5F, 0.4F};
  return phase;
}

Truth unsure_truth() {  // A three times in the data, B twice, C and X once
  return toy_truth({"A", "B", "B", "C", "X", "A", "A"});
}

TEST(ReliabilityByEpoch, is_measured_from_the_record_of_samples_of_known_classes) {
  Phase phase = unsure_phase({0, "post", "test"});
  // Right are the first, third and fourth; the fifth is of no known class.
  phase.given_known.by_epoch = {
      {0, 10},
      Matrix{{0.95F, 0.75F}, {0.95F, 0.75F}, {0.95F, 0.75F}, {0.95F, 0.75F}, {0.15F, 0.15F}},
      {0.95F, 0.95F, 0.65F, 0.65F, 0.5F}};
  MemoryRecord record(unsure_truth());
  record.add(phase);
  phase.given_known.by_epoch = {};
  phase.key = {1, "post", "test"};
  record.add(phase);
  const std::vector<EpochRow> rows = epoch_rows(record);
  ASSERT_EQ(rows.size(), 1U);
  const EpochErrors& errors = rows[0].errors;
  EXPECT_EQ(rows[0].split, "test");
  EXPECT_EQ(errors.samples, 4);
  EXPECT_THAT(errors.epoch, ElementsAre(0, 10));
  EXPECT_NEAR(errors.ece[0], 0.2, 1e-6);  // 0.95 against 3/4
  EXPECT_NEAR(errors.ece[1], 0.0, 1e-6);
  EXPECT_NEAR(errors.native, 0.5 * 0.45 + 0.5 * 0.35, 1e-6);  // as ece10 above
}

double value_of(std::string_view measure, const PhaseView& view) {
  return find_measure(measure).value(view, View::classification).value();
}

// In that truth sample 1 is of B and taken for A, sample 3 of C and right.
TEST(Reliability, measures_samples_of_known_classes_given_that_they_are_known) {
  const PhaseView view = view_phase(unsure_phase({0, "post", "test"}), unsure_truth());
  ASSERT_EQ(view.sure().size(), 4);
  // Bin (0.9, 1]: 0.95 against 1/2; bin (0.6, 0.7]: 0.65 against 2/2.
  EXPECT_NEAR(value_of("ece10", view), 0.5 * 0.45 + 0.5 * 0.35, 1e-6);
  EXPECT_NEAR(value_of("ece", view), value_of("ece10", view), 0.0);
  EXPECT_NEAR(value_of("mce10", view), 0.45, 1e-6);
  EXPECT_NEAR(value_of("mean_confidence", view), 0.8, 1e-6);
  EXPECT_NEAR(value_of("nll", view),
              -(std::log(0.95) + std::log(0.04) + std::log(0.65) + std::log(0.3)) / 4.0, 1e-6);
  EXPECT_NEAR(value_of("brier_sum", view),
              (4.0 + 0.9 + 0.9 + 0.5 + 0.5 - 2.0 * (0.95 + 0.04 + 0.65 + 0.3)) / 4.0, 1e-6);
  // One wrong answer of four, among the two surest: it beats both of the less sure right ones.
  EXPECT_NEAR(value_of("failure_auroc_maxprob", view), (0.5 + 0.0 + 0.0) / 3.0, 1e-12);
}

TEST(Reliability, is_missing_without_a_record_of_it_and_where_a_true_class_is_impossible) {
  Phase phase = unsure_phase({0, "post", "test"});
  phase.given_known.log_true[0] = -std::numeric_limits<float>::infinity();
  const PhaseView impossible = view_phase(phase, unsure_truth());
  EXPECT_FALSE(find_measure("nll").value(impossible, View::classification));
  EXPECT_TRUE(find_measure("ece10").value(impossible, View::classification));
  phase.given_known = {};
  const PhaseView bare = view_phase(phase, unsure_truth());
  for (const char* measure : {"ece10", "nll", "brier_sum", "aurc", "failure_auroc_maxprob"}) {
    EXPECT_FALSE(find_measure(measure).value(bare, View::classification)) << measure;
  }
}

TEST(Reliability, of_picked_and_appended_views_is_that_of_their_samples) {
  const PhaseView view = view_phase(unsure_phase({0, "post", "test"}), unsure_truth());
  const std::vector<Index> first{0, 1};
  const std::vector<Index> others{2, 3, 4};
  PhaseView joined = view.pick(first);
  EXPECT_EQ(joined.sure().size(), 2);
  EXPECT_NEAR(value_of("ece10", joined), 0.45, 1e-6);
  joined.append(view.pick(others));
  for (const char* measure : {"ece10", "nll", "brier_sum", "aurc", "ks_error"}) {
    EXPECT_DOUBLE_EQ(value_of(measure, joined), value_of(measure, view)) << measure;
  }
  Phase bare = unsure_phase({0, "post", "test"});
  bare.given_known = {};
  joined.append(view_phase(bare, unsure_truth()));
  EXPECT_EQ(joined.sure().size(), 0);
}

TEST(Reliability, parts_classes_by_their_samples_in_the_data) {
  const ToyRecord record({unsure_phase({0, "post", "test"})}, unsure_truth());
  const std::vector<ReliabilityRow> rows = reliability_rows(record);
  ASSERT_EQ(rows.size(), 3U);
  const auto n = [&](std::size_t row) { return rows[row].values.front().second.value(); };
  EXPECT_EQ(rows[1].classes, "common");  // A and B: three classes, so the middle one too
  EXPECT_EQ(n(0), 4.0);
  EXPECT_EQ(n(1), 3.0);
  EXPECT_EQ(n(2), 1.0);
  const PhaseView view = view_phase(unsure_phase({0, "post", "test"}), unsure_truth());
  const auto parts = class_parts(view, class_counts(unsure_truth()));
  const auto name = [&](Index place) { return view.names[static_cast<std::size_t>(place)]; };
  EXPECT_THAT(std::vector({name(parts[1][0]), name(parts[1][1])}), ElementsAre("A", "B"));
  EXPECT_EQ(name(parts[2][0]), "C");
}

TEST(Reliability, refuses_a_record_that_does_not_fit_together) {
  const auto refused = [](const auto& spoil) -> std::string {
    Phase phase = unsure_phase({0, "post", "test"});
    spoil(phase.given_known);
    try {
      (void)view_phase(phase, unsure_truth());
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(refused([](GivenKnown&) {}), "");
  EXPECT_EQ(refused([](GivenKnown& given) { given.squares.pop_back(); }),
            "phase 000_post_test: what is kept of confidence has columns of 5 and of 4 entries");
  EXPECT_EQ(refused([](GivenKnown& given) { given.log_true.clear(); }),
            "phase 000_post_test: what is kept of confidence has columns of 5 and of 0 entries");
  EXPECT_EQ(refused([](GivenKnown& given) { given.best.pop_back(); }),
            "phase 000_post_test: what is kept of confidence is of 4 samples, not of 5");
  EXPECT_EQ(refused([](GivenKnown& given) { given.best[2] = 99; }),
            "phase 000_post_test: what is kept of confidence names entry 99 of 6");
}

}  // namespace
}  // namespace tyto
