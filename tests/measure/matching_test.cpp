// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/matching.hpp"

#include <algorithm>
#include <numeric>

#include "measure/golden.hpp"
#include "measure/toy_record.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/random.hpp"
#include "tyto/measure/registry.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;

using Labels = std::vector<std::string>;

TEST(MatchGroups, of_the_worked_example) {
  // A 3 of 4 and B 2 of 4 by their names, X 2 of discovered_0, Y 1 of discovered_1 or of unknown.
  const PhaseView view = view_phase(worked_phase({1, "pre", "test"}), worked_truth());
  EXPECT_EQ(view.matching().right, 8);
  EXPECT_EQ(find_measure("hungarian_accuracy").value(view, View::raw), 8.0 / 14.0);
  EXPECT_EQ(find_measure("hungarian_accuracy_known").value(view, View::raw), 5.0 / 8.0);
  EXPECT_EQ(find_measure("hungarian_accuracy_novel").value(view, View::raw), 3.0 / 6.0);
  // known 7 of 8, X 2, Y 1
  EXPECT_EQ(find_measure("hungarian_accuracy").value(view, View::recognition), 10.0 / 14.0);
}

TEST(MatchGroups, gives_each_group_one_class_even_if_another_fits_as_well) {
  // x fits a (3) better than b (2), but y fits a alone (2): x to b and y to a make 4.
  const auto m = Confusion::from(Labels{"a", "a", "a", "b", "b", "a", "a"},
                                 Labels{"x", "x", "x", "x", "x", "y", "y"});
  const Matching matching = match_groups(m);
  EXPECT_THAT(m.labels(), ElementsAre("a", "x", "b", "y"));
  EXPECT_THAT(matching.class_of, ElementsAre(-1, 2, -1, 0));
  EXPECT_EQ(matching.accuracy(), 4.0 / 7.0);
}

TEST(MatchGroups, is_missing_without_samples) {
  EXPECT_FALSE(match_groups(Confusion()).accuracy());
  EXPECT_FALSE(match_groups(Confusion(Labels{"a", "b"})).accuracy());
}

TEST(MatchGroups, of_one_class_or_one_group) {
  EXPECT_EQ(match_groups(Confusion::from(Labels{"a", "a"}, Labels{"b", "b"})).accuracy(), 1.0);
  EXPECT_EQ(match_groups(Confusion::from(Labels{"a", "b", "c"}, Labels{"x", "x", "x"})).accuracy(),
            1.0 / 3.0);
  EXPECT_EQ(match_groups(Confusion::from(Labels{"a", "a", "a"}, Labels{"x", "y", "z"})).accuracy(),
            1.0 / 3.0);
}

TEST(MatchGroups, equals_the_best_of_all_renamings) {
  Rng rng(1, "matching");
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Index> actual, predicted;
    Labels a, b, renamed;
    const Index n = 1 + rng.below(40);
    for (Index i = 0; i < n; ++i) {
      actual.push_back(rng.below(5));
      predicted.push_back(rng.below(5));
      a.push_back("c" + std::to_string(actual.back()));
      b.push_back("c" + std::to_string(predicted.back()));
      renamed.push_back("group " + std::to_string(9 - predicted.back()));
    }
    std::vector<Index> name(5);
    std::iota(name.begin(), name.end(), Index{0});
    Confusion::Count best = 0;
    do {
      Confusion::Count right = 0;
      for (std::size_t i = 0; i < actual.size(); ++i) {
        right += name[static_cast<std::size_t>(predicted[i])] == actual[i] ? 1 : 0;
      }
      best = std::max(best, right);
    } while (std::next_permutation(name.begin(), name.end()));
    const Confusion m = Confusion::from(a, b);
    EXPECT_EQ(match_groups(m).right, best);
    EXPECT_EQ(match_groups(Confusion::from(a, renamed)).right, best);
    Confusion twice = m;
    twice.merge(m);
    EXPECT_EQ(match_groups(twice).accuracy(), match_groups(m).accuracy());
  }
}

TEST(MatchGroups, tells_known_and_novel_apart_by_one_matching) {
  // Matched for themselves the novel samples would go to A as well: 2 of 2 instead of 0 of 2.
  const Phase phase = toy_phase({1, "pre", "test"}, {"A"}, {"A", "A", "A", "A", "A"});
  const PhaseView view = view_phase(phase, toy_truth({"A", "A", "A", "X", "X"}));
  EXPECT_EQ(find_measure("hungarian_accuracy_known").value(view, View::raw), 1.0);
  EXPECT_EQ(find_measure("hungarian_accuracy_novel").value(view, View::raw), 0.0);
}

TEST(MatchGroups, has_no_share_of_the_novel_where_nothing_is_novel_and_the_other_way_round) {
  const PhaseView known = view_phase(toy_phase({1, "pre", "test"}, {"A"}, {"A"}), toy_truth({"A"}));
  EXPECT_EQ(find_measure("hungarian_accuracy_known").value(known, View::raw), 1.0);
  EXPECT_FALSE(find_measure("hungarian_accuracy_novel").value(known, View::raw));
  const PhaseView novel =
      view_phase(toy_phase({1, "pre", "test"}, {"A"}, {"discovered_0"}), toy_truth({"X"}));
  EXPECT_FALSE(find_measure("hungarian_accuracy_known").value(novel, View::raw));
  EXPECT_EQ(find_measure("hungarian_accuracy_novel").value(novel, View::raw), 1.0);
}

TEST(MatchGroups, agrees_with_scipy) {
  for_each_golden_matrix([](const Confusion& m, const nlohmann::json& example) {
    EXPECT_NEAR(*match_groups(m).accuracy(), example["hungarian_accuracy"].get<double>(), 1e-12);
  });
}

TEST(MatchGroups, of_the_published_example) {
  // 0 -> 0, 1 -> 2, 2 -> 1: 1 + 2 + 2 of 7.
  const auto m = Confusion::from(Labels{"0", "0", "1", "1", "1", "2", "2"},
                                 Labels{"g0", "g2", "g0", "g2", "g2", "g1", "g1"});
  EXPECT_EQ(match_groups(m).accuracy(), 5.0 / 7.0);
  const AlignedConfusion aligned = aligned_confusion(m);
  EXPECT_THAT(aligned.classes, ElementsAre("0", "1", "2"));
  EXPECT_THAT(aligned.groups, ElementsAre("g0", "g2", "g1"));
  EXPECT_EQ(aligned.counts.diagonal().sum(), 5);
  EXPECT_EQ(aligned.to_csv(), "actual,g0,g2,g1\n0,1,1,0\n1,1,2,0\n2,0,0,2\n");
}

TEST(MatchGroups, aligns_groups_without_a_class_last) {
  const auto m = Confusion::from(Labels{"b", "b", "b", "a"}, Labels{"y", "y", "x", "w"});
  const AlignedConfusion aligned = aligned_confusion(m);
  EXPECT_THAT(aligned.groups, ElementsAre("w", "y", "x"));
  EXPECT_EQ(aligned.matched, 2);
  EXPECT_THAT(aligned.row_of, ElementsAre(0, 1));
}

TEST(Swallowed, counts_what_is_lost_to_larger_classes_alone) {
  // Group x: 4 of A (of 5) and 2 of B (of 3); group y: 1 of A and 1 of B: a tie, to the larger.
  // B loses all 3 to A; A, the larger, loses none.
  const auto m = Confusion::from(Labels{"A", "A", "A", "A", "B", "B", "A", "B"},
                                 Labels{"x", "x", "x", "x", "x", "x", "y", "y"});
  const std::vector<GroupedClass> classes = grouped_classes(m, match_groups(m));
  ASSERT_EQ(classes.size(), 2U);
  EXPECT_EQ(classes[0].name, "A");
  EXPECT_EQ(classes[0].right, 4);
  EXPECT_EQ(classes[0].group, "x");
  EXPECT_EQ(classes[0].swallowed, 0);
  EXPECT_EQ(classes[1].support, 3);
  EXPECT_EQ(classes[1].right, 1);
  EXPECT_EQ(classes[1].swallowed, 3);
  EXPECT_EQ(classes[1].swallowed_by, "A");
}

TEST(Swallowed, is_by_the_class_that_took_most) {
  // Group x is b's, y is c's: of the three a one is in x and two in y, of the two aa both in x.
  const auto m = Confusion::from(
      Labels{"a", "a", "a", "aa", "aa", "b", "b", "b", "b", "c", "c", "c", "c", "c"},
      Labels{"x", "y", "y", "x", "x", "x", "x", "x", "x", "y", "y", "y", "y", "y"});
  const std::vector<GroupedClass> classes = grouped_classes(m, match_groups(m));
  ASSERT_EQ(classes.size(), 4U);
  EXPECT_EQ(classes[0].swallowed, 3);
  EXPECT_EQ(classes[0].swallowed_by, "c");
  EXPECT_EQ(classes[1].swallowed, 2);
  EXPECT_EQ(classes[1].swallowed_by, "b");
  EXPECT_EQ(classes[2].swallowed_by, "");
}

TEST(MatchGroups, apart_gives_one_group_two_names) {
  const Phase phase = toy_phase({1, "pre", "test"}, {"A"}, {"A", "A", "A", "A", "A"});
  const PhaseView view = view_phase(phase, toy_truth({"A", "A", "A", "X", "X"}));
  EXPECT_EQ(find_measure("old_accuracy_v1").value(view, View::raw), 1.0);
  EXPECT_EQ(find_measure("new_accuracy_v1").value(view, View::raw), 1.0);
  EXPECT_EQ(find_measure("swallowed").value(view, View::raw), 0.5);  // X all, A none
  EXPECT_EQ(find_measure("groups_used").value(view, View::raw), 1.0);
}

}  // namespace
}  // namespace tyto
