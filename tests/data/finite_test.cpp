// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/finite.hpp"

#include <limits>

#include "sample/store_helpers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

Dataset with_one_bad_value(Index row, Index column, float value) {
  Matrix features = Matrix::Ones(6, 3);
  features(row, column) = value;
  Dataset dataset;
  dataset.name = "toy";
  dataset.table.id = {"a", "b", "c"};
  dataset.table.frames = {1, 3, 2};  // rows 0 | 1 2 3 | 4 5
  dataset.store = std::make_shared<const DenseStore>(
      std::vector<DenseStore::Source>{{"features", features, {"x", "y", "z"}}});
  return dataset;
}

TEST(ExpectFinite, names_dataset_sample_row_and_column) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(refusal([&] { expect_finite(with_one_bad_value(3, 1, nan)); }),
            "toy: sample \"b\" (row 3 of features) has nan in column y; features must be finite "
            "numbers");
  EXPECT_THAT(refusal([&] {
                expect_finite(with_one_bad_value(4, 2, -std::numeric_limits<float>::infinity()));
              }),
              testing::HasSubstr("sample \"c\" (row 4 of features) has -inf in column z"));
  EXPECT_THAT(refusal([&] { expect_finite(with_one_bad_value(0, 0, nan)); }),
              testing::HasSubstr("sample \"a\" (row 0"));
  expect_finite(with_one_bad_value(0, 0, 7.0F));
}

}  // namespace
}  // namespace tyto
