// SPDX-License-Identifier: Apache-2.0
// What a nuisance costs, over the same samples.
#include "measure/toy_record.hpp"
#include <gtest/gtest.h>

#include "tyto/measure/run_registry.hpp"
#include "tyto/measure/table.hpp"

namespace tyto {
namespace {

TEST(NuisanceLoss, is_the_accuracy_that_the_same_samples_lose) {
  Truth truth;
  truth.label = {"A", "A", "B", "B", "A", "B"};
  const std::vector<std::string> known{"A", "B"};
  const std::vector<Phase> phases{
      toy_phase({0, "post", "test"}, known, {"A", "A", "B", "B"}, 0),
      toy_phase({0, "post", "test:blur"}, known, {"A", "B", "B", "unknown"}, 0),
      toy_phase({1, "post", "test"}, known, {"A", "A"}, 4),
      toy_phase({1, "post", "test:blur"}, known, {"A", "B"}, 4),
      toy_phase({1, "post", "test:flip"}, known, {"A", "A"}, 4)};
  const ToyRecord record{phases, truth};
  const auto rows = measure_run(record, {.measures = {"nuisance_loss"}});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].split, "test:blur");
  EXPECT_DOUBLE_EQ(rows[0].value.value(), 0.5);
  EXPECT_DOUBLE_EQ(rows[1].value.value(), -0.5) << "it helped";
  EXPECT_EQ(rows[2].step, kAllSteps);
  EXPECT_NEAR(rows[2].value.value(), 5.0 / 6 - 4.0 / 6, 1e-12);
  EXPECT_EQ(rows[2].samples, 6);
  EXPECT_EQ(rows[4].split, "test:flip");
  EXPECT_DOUBLE_EQ(rows[4].value.value(), 0) << "of the steps that have it";
}

TEST(NuisanceLoss, is_no_row_where_nothing_was_shown_under_a_nuisance) {
  Truth truth;
  truth.label = {"A"};
  const ToyRecord record{{toy_phase({0, "post", "test"}, {"A"}, {"A"}, 0)}, truth};
  EXPECT_TRUE(measure_run(record, {.measures = {"nuisance_loss"}}).empty());
}

}  // namespace
}  // namespace tyto
