// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/ordered_confusion.hpp"

#include "measure/toy_record.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Space: unknown 0, A 1, B 2, two discovered 3 and 4.
PhaseView two_ranks() {
  Phase phase = toy_phase({1, "pre", "test"}, {"A", "B"}, {"A", "A", "A"});
  phase.top.resize(3, 2);
  phase.top << 1, 2, 2, 1, 1, -1;
  return view_phase(phase, toy_truth({"A", "A", "X"}));
}

TEST(OrderedConfusion, counts_each_rank_for_itself) {
  const OrderedConfusion ordered = ordered_confusion(two_ranks());
  ASSERT_EQ(ordered.ranks(), 2);
  EXPECT_EQ(ordered.slices[0].cells(), two_ranks().views.raw.cells());
  EXPECT_EQ(ordered.slices[1].count("A", "B"), 1);
  EXPECT_EQ(ordered.slices[1].count("A", "A"), 1);
  EXPECT_EQ(ordered.slices[1].total(), 2);  // X has no second entry
}

TEST(OrderedConfusion, is_written_as_a_table_of_names) {
  EXPECT_EQ(ordered_confusion(two_ranks()).to_csv(),
            "rank,actual,predicted,count\n"
            "1,A,A,1\n"
            "1,A,B,1\n"
            "1,X,A,1\n"
            "2,A,A,1\n"
            "2,A,B,1\n");
  OrderedConfusion odd;
  odd.slices.resize(1);
  odd.slices[0].add("a, b", "c\"d");
  EXPECT_EQ(odd.to_csv(), "rank,actual,predicted,count\n1,\"a, b\",\"c\"\"d\",1\n");
}

TEST(OrderedConfusion, comes_back_from_an_archive) {
  const OrderedConfusion ordered = ordered_confusion(two_ranks());
  State state;
  ordered.save(state);
  EXPECT_THAT(state.get<std::vector<std::int64_t>>("rank"), ElementsAre(1, 1, 1, 2, 2));
  const OrderedConfusion again =
      OrderedConfusion::loaded(from_archive(to_archive(state), "confusion.npz"));
  ASSERT_EQ(again.ranks(), 2);
  EXPECT_EQ(again.labels(), ordered.labels());
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(again.slices[r].cells(), ordered.slices[r].cells());
    EXPECT_EQ(again.slices[r].total(), ordered.slices[r].total());
  }
}

TEST(OrderedConfusion, is_merged_by_name) {
  OrderedConfusion sum = ordered_confusion(two_ranks());
  OrderedConfusion other;
  other.slices.resize(2);
  for (Confusion& slice : other.slices) {
    slice.add("Z", "A", 4);
    slice.add("A", "A", 2);
  }
  sum.merge(other);
  EXPECT_EQ(sum.slices[0].count("A", "A"), 3);
  EXPECT_EQ(sum.slices[1].count("Z", "A"), 4);
  EXPECT_EQ(sum.labels().back(), "Z");
  EXPECT_EQ(sum.slices[0].labels(), sum.slices[1].labels());
}

TEST(OrderedConfusion, keeps_the_ranks_that_both_have_when_merged) {
  OrderedConfusion sum;
  sum.merge(ordered_confusion(two_ranks()));
  EXPECT_EQ(sum.ranks(), 2);
  OrderedConfusion one;
  one.slices.resize(1);
  sum.merge(one);
  EXPECT_EQ(sum.ranks(), 1);
}

TEST(OrderedConfusion, adds_up_a_name_that_was_novel_and_then_known) {
  const Truth truth = toy_truth({"X", "X"});
  PhaseView view = view_phase(toy_phase({1, "pre", "test", 1}, {"A"}, {"A"}, 0), truth);
  view.append(view_phase(toy_phase({1, "pre", "test", 2}, {"A", "X"}, {"A"}, 1), truth));
  EXPECT_EQ(ordered_confusion(view).slices[0].count("X", "A"), 2);
}

TEST(OrderedConfusion, of_no_samples_is_empty) {
  const PhaseView view = view_phase(toy_phase({0, "pre", "test"}, {"A"}, {}), toy_truth({}));
  EXPECT_EQ(ordered_confusion(view).to_csv(), "rank,actual,predicted,count\n");
  State state;
  OrderedConfusion().save(state);
  EXPECT_EQ(OrderedConfusion::loaded(state).ranks(), 0);
}

TEST(OrderedConfusion, refuses_a_damaged_state) {
  State state;
  ordered_confusion(two_ranks()).save(state);
  State bad = state;
  bad.set("count", std::vector<std::int64_t>{1});
  EXPECT_THROW(static_cast<void>(OrderedConfusion::loaded(bad)), Error);
  bad = state;
  bad.set("predicted", std::vector<std::int64_t>{0, 0, 0, 0, 99});
  try {
    static_cast<void>(OrderedConfusion::loaded(bad));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::state);
    EXPECT_THAT(error.what(), HasSubstr("predicted 99"));
  }
}

}  // namespace
}  // namespace tyto
