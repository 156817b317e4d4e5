// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/dissimilarity.hpp"

#include <cmath>
#include <limits>

#include "support/small_worlds.hpp"
#include <gtest/gtest.h>

#include "tyto/world/registry.hpp"

namespace tyto {
namespace {

TEST(NearestDissimilarity, of_a_hand_worked_case) {
  Matrix rows(3, 2);
  rows << 3, 4, 0, 2, 0, 0;
  Matrix block(2, 2);
  block << 0, 0, 1, 0;
  // To (0, 0): 5, 2, 0. To (1, 0): sqrt(20), sqrt(5), 1.
  const auto far = nearest_dissimilarity(rows, {block}, "euclidean");
  EXPECT_NEAR(far[0], std::sqrt(20.0), 1e-5);
  EXPECT_NEAR(far[1], 2, 1e-5);
  EXPECT_NEAR(far[2], 0, 1e-5);
  // Only (1, 0) has a direction: cosines 0.6 and 0; the zeros have none.
  const auto turned = nearest_dissimilarity(rows, {block}, "cosine");
  EXPECT_NEAR(turned[0], 0.4, 1e-5);
  EXPECT_NEAR(turned[1], 1, 1e-5);
  EXPECT_EQ(turned[2], 1);
  const auto opposite = nearest_dissimilarity(-block.bottomRows(1), {block}, "cosine");
  EXPECT_NEAR(opposite[0], 2, 1e-5);
  EXPECT_EQ(nearest_dissimilarity(rows, {Matrix::Zero(2, 2)}, "cosine")[0], 1);
}

TEST(Dissimilarity, is_told_to_all_that_was_shown_before_and_to_nothing_of_the_step) {
  const auto source =
      build_world(parse_yaml("{kind: increments, increments: 3, dissimilarity: euclidean, "
                             "nuisance_later: {from: 2, by: {scale: {factor: 5}}}}",
                             "d.yaml"),
                  "world", {testing_support::small_dataset()}, 4);
  const auto& told = source->truth()->annotations.at("dissimilarity");
  const auto world = source->make_world({});
  Matrix before(0, 3);
  Index checked = 0;
  while (world->advance()) {
    Matrix after = before;
    for (const Split& split : world->deal().splits) {
      const Matrix rows = split.samples.rows();  // as shown: altered from step 2 on
      for (Index i = 0; i < rows.rows(); ++i) {
        const std::string& text = told.at(static_cast<std::size_t>(split.samples.id(i)));
        if (before.rows() == 0) {
          EXPECT_EQ(text, "");
          continue;
        }
        float nearest = std::numeric_limits<float>::infinity();
        for (Index j = 0; j < before.rows(); ++j) {
          nearest = std::min(nearest, (before.row(j) - rows.row(i)).norm());
        }
        EXPECT_NEAR(std::stod(text), static_cast<double>(nearest), 1e-4 * (1 + nearest));
        ++checked;
      }
      Matrix more(after.rows() + rows.rows(), 3);
      more << after, rows;
      after = more;
    }
    before = after;
  }
  EXPECT_GT(checked, 10);
}

}  // namespace
}  // namespace tyto
