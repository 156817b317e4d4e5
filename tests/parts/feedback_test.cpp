// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

constexpr Slot kRequests = Slot::feedback;

Evidence four_beliefs() {
  Evidence evidence = toy_evidence(Matrix::Zero(4, 1));
  evidence.classes = toy_labels({1, 2, 0, 3});
  evidence.probability.resize(4, 4);
  evidence.probability << 0.50F, 0.30F, 0.00F, 0.20F,  // most likely 0.50, margin 0.20
      0.40F, 0.05F, 0.50F, 0.05F,                      // 0.40 (0.50 is `unknown`), 0.35
      0.48F, 0.48F, 0.00F, 0.04F,                      // 0.48, 0
      0.40F, 0.10F, 0.40F, 0.10F;                      // 0.40, 0.30
  return evidence;
}

TEST(UncertainFirst, orders_by_the_most_likely_known_class_then_by_row) {
  ToyWork work;
  EXPECT_EQ(make_part<Requester>(kRequests, "uncertain_first")->order(four_beliefs(), 2, work),
            (std::vector<Index>{1, 3, 2, 0}));
}

TEST(UncertainFirst, may_go_by_known_classes_and_groups_without_the_catch_all) {
  // Known scores and the group's, in one softmax: 1/4, 3/6, 6/9. The scores of 9 are of `unknown`.
  Evidence evidence = toy_evidence(Matrix::Zero(3, 1));
  evidence.classes = toy_labels({1, 2, 0, 3});
  evidence.logits.resize(3, 4);
  evidence.logits << 0, 0, 9, 0,  //
      std::log(3.0F), 0, 9, 0,    //
      0, 0, 9, 0;
  evidence.groups = toy_labels({0, 4});
  evidence.membership.resize(3, 2);
  evidence.membership << 9, 0,  //
      9, 0,                     //
      9, std::log(6.0F);
  evidence.probability.resize(3, 4);
  evidence.probability << 0.9F, 0, 0, 0.1F, 0.5F, 0.2F, 0, 0.3F, 0.4F, 0.3F, 0, 0.3F;
  ToyWork work;
  const auto over_groups = make_part<Requester>(kRequests, "uncertain_first", "{over: groups}");
  EXPECT_EQ(over_groups->order(evidence, 3, work), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(make_part<Requester>(kRequests, "uncertain_first")->order(evidence, 3, work),
            (std::vector<Index>{2, 1, 0}));
  // What it goes by survives where samples are examined block by block.
  over_groups->drop_unused(evidence);
  EXPECT_EQ(over_groups->order(evidence, 3, work), (std::vector<Index>{0, 1, 2}));
  // Before any group is found: 1/3, 3/5, 1/3.
  evidence.groups.clear();
  evidence.membership = Matrix();
  EXPECT_EQ(over_groups->order(evidence, 3, work), (std::vector<Index>{0, 2, 1}));
}

TEST(Margin, orders_by_the_gap_between_the_two_most_likely_known_classes) {
  ToyWork work;
  EXPECT_EQ(make_part<Requester>(kRequests, "margin")->order(four_beliefs(), 2, work),
            (std::vector<Index>{2, 0, 3, 1}));
}

TEST(Margin, of_one_class_is_its_probability) {
  ToyWork work;
  Evidence evidence = toy_evidence(Matrix::Zero(2, 1));
  evidence.classes = toy_labels({1});
  evidence.probability.resize(2, 1);
  evidence.probability << 0.9F, 0.4F;
  EXPECT_EQ(make_part<Requester>(kRequests, "margin")->order(evidence, 2, work),
            (std::vector<Index>{1, 0}));
}

TEST(RandomOrder, is_a_permutation_that_the_seed_decides) {
  const Evidence batch = toy_evidence(Matrix::Zero(50, 1));
  const auto order = [&](std::uint64_t seed) {
    ToyWork work(seed);
    return make_part<Requester>(kRequests, "random")->order(batch, 5, work);
  };
  std::vector<Index> sorted = order(1);
  EXPECT_EQ(sorted, order(1));
  EXPECT_NE(sorted, order(2));
  std::sort(sorted.begin(), sorted.end());
  for (Index i = 0; i < 50; ++i) {
    EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
  }
}

TEST(Requesters, have_nothing_to_ask_about_an_empty_batch) {
  ToyWork work;
  for (const char* name : {"random", "uncertain_first", "margin"}) {
    EXPECT_TRUE(make_part<Requester>(kRequests, name)->order(Evidence(), 3, work).empty());
  }
}

}  // namespace
}  // namespace tyto
