// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/head_measures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

// Six samples of two classes and one of a class that the scores do not have. "blur" turns two of
// the six answers wrong.
Dataset scored(bool named = true) {
  Dataset dataset;
  dataset.name = "scored";
  dataset.table.id = {"a", "b", "c", "d", "e", "f", "g"};
  dataset.table.label = {"run", "run", "run", "wave", "wave", "wave", "other"};
  dataset.table.group = {"p", "p", "q", "q", "r", "r", "r"};
  Matrix plain(7, 2), blurred(7, 2);
  plain << 2, 1, 3, 1, 1, 0, 0, 1, 0, 2, 1, 4, 0, 0;
  blurred = plain;
  blurred.row(0) << 0, 1;
  blurred.row(5) << 1, 0;
  const std::vector<std::string> names =
      named ? std::vector<std::string>{"run", "wave"} : std::vector<std::string>();
  dataset.store = std::make_shared<DenseStore>(
      std::vector<DenseStore::Source>{{"logits", plain, names}, {"logits_blur", blurred, names}});
  return dataset;
}

TEST(HeadMeasures, tell_what_a_nuisance_costs) {
  Progress silent;
  const HeadMeasures measured = head_measures(scored(), "", {.replicates = 200}, silent);
  EXPECT_EQ(measured.samples, 6);
  EXPECT_EQ(measured.units, 3);
  EXPECT_EQ(measured.left_out, 1);
  ASSERT_EQ(measured.rows.size(), 2U);
  EXPECT_EQ(measured.rows[0].accuracy, 1.0);
  EXPECT_EQ(measured.rows[0].mcc, 1.0);
  EXPECT_EQ(measured.rows[1].name, "blur");
  EXPECT_NEAR(measured.rows[1].accuracy, 4.0 / 6, 1e-12);
  EXPECT_NEAR(measured.rows[1].mcc, 1.0 / 3, 1e-12);
  EXPECT_NEAR(measured.rows[1].accuracy_difference, -2.0 / 6, 1e-12);
  EXPECT_LT(*measured.rows[1].accuracy_interval.low, -0.3);
  EXPECT_LE(*measured.rows[1].accuracy_interval.high, 0.0);
}

TEST(HeadMeasures, refuse_scores_that_are_not_there_or_not_named) {
  Progress silent;
  EXPECT_THROW(head_measures(scored(false), "", {.replicates = 10}, silent), Error);
  EXPECT_THROW(head_measures(scored(), "test", {.replicates = 10}, silent), Error);
  Dataset none = scored();
  none.store = std::make_shared<DenseStore>(Matrix(7, 2));
  EXPECT_THROW(head_measures(none, "", {.replicates = 10}, silent), Error);
}

}  // namespace
}  // namespace tyto
