// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/condda.hpp"

#include <algorithm>
#include <numeric>

#include "measure/toy_tests.hpp"
#include <gmock/gmock.h>

#include "tyto/core/random.hpp"
#include "tyto/measure/run_registry.hpp"

namespace tyto {
namespace {

const std::vector<std::string> kConddaKnown{"A", "B"};
const char* const kC0 = "discovered_0";
const char* const kC1 = "discovered_1";
const char* const kC2 = "discovered_2";

ToyRow old_class(const std::string& label, const std::string& decision, Index round) {
  return {label, false, round > 1, decision, 0, round};
}

ToyRow new_class(const std::string& label, const std::string& decision, Index round) {
  return {label, true, true, decision, 1, round};
}

// X is found by discovered_0 at its second sample, Y by discovered_2 at its third; discovered_1 is
// a second cluster of Y.
//                     A  X        X   | Y   Y   X   B   | X   Y   Y   Y
std::vector<ToyRow> clustered_test() {
  return {old_class("A", "A", 1), new_class("X", "unknown", 2), new_class("X", kC0, 2),
          new_class("Y", kC1, 3), new_class("Y", "A", 3),       new_class("X", kC0, 3),
          old_class("B", kC1, 3), new_class("X", kC0, 4),       new_class("Y", kC2, 4),
          new_class("Y", kC2, 4), new_class("Y", "unknown", 4)};
}

ConddaScores condda_of(const std::vector<ToyRow>& rows) {
  ToyTests tests;
  tests.add(1, "system", "CONDDA.1", kConddaKnown, rows);
  return score_condda(tests.stream());
}

TEST(Condda, matches_clusters_with_novel_classes_once_for_the_whole_test) {
  const ConddaScores scores = condda_of(clustered_test());
  ASSERT_EQ(scores.classes.size(), 2U);
  EXPECT_EQ(scores.classes[0].name, "X");
  EXPECT_EQ(scores.classes[0].cluster, kC0);
  EXPECT_EQ(scores.classes[1].cluster, kC2);  // two samples against one
  EXPECT_DOUBLE_EQ(scores.characterisation.value(), 5.0 / 9.0);
  EXPECT_EQ(scores.clusters, 3);
  EXPECT_EQ(scores.novel_classes, 2);
  EXPECT_DOUBLE_EQ(scores.clusters_per_class.value(), 1.5);
}

TEST(Condda, unknown_is_right_until_the_cluster_of_the_class_is_first_called) {
  // Right: A; X as unknown before discovered_0; three X and two Y by their clusters. Wrong: Y by
  // discovered_1, Y as A, B, and Y as unknown at the end.
  EXPECT_DOUBLE_EQ(condda_of(clustered_test()).accuracy.value(), 7.0 / 11.0);
  // A class that never gets a cluster is right as unknown.
  EXPECT_DOUBLE_EQ(
      condda_of({new_class("X", "unknown", 1), new_class("X", "A", 1)}).accuracy.value(), 0.5);
}

TEST(Condda, a_class_is_discovered_by_the_sample_from_which_on_it_is_called_consistently) {
  const ConddaScores scores = condda_of(clustered_test());
  EXPECT_EQ(scores.classes[0].until, 1);  // unknown, then three of three
  EXPECT_EQ(scores.classes[1].until, 2);  // then two of three
  EXPECT_EQ(scores.discovered, 1.0);
  EXPECT_EQ(scores.until, 1.5);
}

TEST(Condda, one_call_or_less_than_half_of_them_is_no_discovery) {
  const auto until = [](const std::vector<std::string>& calls) {
    std::vector<ToyRow> rows;
    for (const std::string& call : calls) {
      rows.push_back(new_class("X", call, 1));
    }
    return condda_of(rows).classes.front().until;
  };
  EXPECT_FALSE(until({"A", "A", kC0}));
  EXPECT_EQ(until({"A", kC0, kC0}), 1);
  EXPECT_EQ(until({kC0, "A", "A", kC0}), 0);            // two of four
  EXPECT_FALSE(until({kC0, "A", "A", "A", kC0}));       // two of five, one of one
  EXPECT_EQ(until({kC0, "A", "A", "A", kC0, kC0}), 0);  // three of six
}

TEST(Condda, a_class_seen_once_counts_neither_as_discovered_nor_as_missed) {
  const ConddaScores scores =
      condda_of({new_class("X", kC0, 1), new_class("Y", kC1, 1), new_class("Y", kC1, 2)});
  EXPECT_EQ(scores.discovered, 1.0);
  EXPECT_FALSE(scores.classes[0].until);
  EXPECT_FALSE(condda_of({new_class("X", kC0, 1)}).discovered);
}

TEST(Condda, groups_of_novel_samples_are_measured_by_purity_nmi_and_ari) {
  // unknown: X, Y; discovered_0: X X X; discovered_1: Y; A: Y; discovered_2: Y Y.
  EXPECT_DOUBLE_EQ(condda_of(clustered_test()).purity.value(), 8.0 / 9.0);
  const ConddaScores perfect = condda_of({new_class("X", kC1, 1), new_class("Y", kC0, 1),
                                          new_class("X", kC1, 2), new_class("Y", kC0, 2)});
  EXPECT_EQ(perfect.purity, 1.0);
  EXPECT_EQ(perfect.nmi, 1.0);
  EXPECT_EQ(perfect.ari, 1.0);
  EXPECT_EQ(perfect.accuracy, 1.0);
}

TEST(Condda, stability_asks_whether_the_next_round_calls_the_class_the_same) {
  const auto stability = [](const std::vector<std::pair<std::string, Index>>& calls) {
    std::vector<ToyRow> rows;
    for (const auto& [call, round] : calls) {
      rows.push_back(new_class("X", call, round));
    }
    return condda_of(rows).stability;
  };
  EXPECT_EQ(stability({{kC0, 1}, {kC0, 2}, {kC0, 3}}), 1.0);
  EXPECT_EQ(stability({{kC0, 1}, {kC1, 2}, {kC1, 3}}), 0.5);
  EXPECT_EQ(stability({{kC0, 1}, {kC1, 1}, {kC1, 2}}), 0.5);        // both of round 1 look ahead
  EXPECT_EQ(stability({{kC0, 1}, {"unknown", 2}, {kC0, 3}}), 1.0);  // not called by a cluster
  EXPECT_FALSE(stability({{kC0, 1}, {kC1, 1}}));                    // one round
}

TEST(Condda, rounds_have_values_of_their_own_under_the_one_assignment) {
  const ConddaScores scores = condda_of(clustered_test());
  ASSERT_EQ(scores.rounds.size(), 4U);
  EXPECT_EQ(scores.rounds[0].of.accuracy, 1.0);
  EXPECT_FALSE(scores.rounds[0].of.characterisation);
  EXPECT_EQ(scores.rounds[1].of.characterisation, 0.5);
  EXPECT_DOUBLE_EQ(scores.rounds[2].of.characterisation.value(), 1.0 / 3.0);
  EXPECT_EQ(scores.rounds[2].clusters, 2);
  EXPECT_EQ(scores.rounds[3].clusters, 3);
  EXPECT_EQ(scores.rounds[1].classes, 1);
  EXPECT_EQ(scores.rounds[3].classes, 2);
  Index samples = 0;
  double right = 0.0;
  for (const ConddaRound& round : scores.rounds) {
    samples += round.of.samples;
    right += *round.of.accuracy * static_cast<double>(round.of.samples);
  }
  EXPECT_EQ(samples, 11);
  EXPECT_NEAR(right, 7.0, 1e-12);
}

TEST(Condda, a_test_without_novelty_has_accuracy_alone) {
  const ConddaScores scores = condda_of({old_class("A", "A", 1), old_class("B", kC0, 2)});
  EXPECT_EQ(scores.accuracy, 0.5);
  EXPECT_FALSE(scores.characterisation);
  EXPECT_FALSE(scores.purity);
  EXPECT_FALSE(scores.nmi);
  EXPECT_FALSE(scores.stability);
  EXPECT_FALSE(scores.discovered);
  EXPECT_FALSE(scores.clusters_per_class);
  EXPECT_EQ(scores.clusters, 1);
}

TEST(Condda, an_empty_stream_has_no_values) {
  const ConddaScores scores = score_condda(TestStream());
  for (const auto& measure : condda_measures()) {
    EXPECT_FALSE(scores.*measure.value) << measure.name;
  }
  EXPECT_TRUE(scores.rounds.empty());
}

TEST(Condda, one_novel_class_in_one_cluster_is_perfect) {
  const ConddaScores scores = condda_of({new_class("X", kC0, 1), new_class("X", kC0, 1)});
  EXPECT_EQ(scores.nmi, 1.0);
  EXPECT_EQ(scores.ari, 1.0);
  EXPECT_EQ(scores.characterisation, 1.0);
  EXPECT_EQ(scores.until, 0.0);
}

TEST(Condda, stands_in_the_rows_of_a_run_with_a_value_for_every_class) {
  ToyTests tests;
  tests.add(1, "system", "CONDDA.1", kConddaKnown, clustered_test());
  tests.add(2, "system", "CONDDA.2", kConddaKnown,
            {new_class("X", "unknown", 1), new_class("X", "A", 1)});
  const ToyRecord record = tests.record();
  const auto values = find_run_measure("condda_samples_until_discovery")->values(RunView(record));
  ASSERT_EQ(values.size(), 6U);  // X, Y; X; then two tests and all of them
  EXPECT_EQ(values[0].name + values[1].name + values[2].name, "XYX");
  EXPECT_EQ(values[1].value, 2.0);
  EXPECT_FALSE(values[2].value);
  EXPECT_EQ(values[5].at.step, kAllSteps);
  EXPECT_EQ(values[5].value, 1.5);
  const auto shares = find_run_measure("condda_discovered")->values(RunView(record));
  EXPECT_EQ(shares.back().value, 0.5);
}

TEST(Condda, gives_nothing_where_nothing_was_to_be_discovered) {
  ToyTests tests;
  tests.add(1, "system", "OND.1", kConddaKnown,
            {old_class("A", "A", 1), new_class("X", "unknown", 1)});
  EXPECT_TRUE(condda_scores(RunView(tests.record())).empty());
}

TEST(Condda, summary_has_intervals_over_tests) {
  std::vector<ConddaScores> tests(4);
  for (std::size_t i = 0; i < 4; ++i) {
    tests[i].accuracy = 0.2 * static_cast<double>(i);
  }
  const auto rows = condda_summary(tests);
  EXPECT_EQ(rows[0].name, "condda_accuracy");
  EXPECT_DOUBLE_EQ(rows[0].value.value(), 0.3);
  EXPECT_LT(rows[0].interval.low, 0.3);
  EXPECT_GT(rows[0].interval.high, 0.3);
}

// All assignments of three clusters to three classes, by hand.
TEST(Condda, characterisation_is_the_best_of_all_assignments) {
  Rng rng(3, "condda");
  const std::vector<std::string> classes{"X", "Y", "Z"};
  const std::vector<std::string> calls{kC0, kC1, kC2, "unknown", "A"};
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<ToyRow> rows;
    const Index n = 1 + rng.below(20);
    for (Index i = 0; i < n; ++i) {
      rows.push_back(new_class(classes[at(rng.below(3))], calls[at(rng.below(5))], 1 + i / 5));
    }
    std::vector<int> given{0, 1, 2};
    Index best = 0;
    do {
      Index right = 0;
      for (const ToyRow& row : rows) {
        for (std::size_t c = 0; c < 3; ++c) {
          right += row.label == classes[c] && row.decision == calls[at(given[c])] ? 1 : 0;
        }
      }
      best = std::max(best, right);
    } while (std::next_permutation(given.begin(), given.end()));
    EXPECT_DOUBLE_EQ(condda_of(rows).characterisation.value(),
                     static_cast<double>(best) / static_cast<double>(n));
  }
}

}  // namespace
}  // namespace tyto
