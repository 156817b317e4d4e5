// SPDX-License-Identifier: Apache-2.0
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
