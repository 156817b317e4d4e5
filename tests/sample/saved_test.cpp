// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/saved.hpp"

#include <gtest/gtest.h>

#include "tyto/sample/feature_store.hpp"

namespace tyto {
namespace {

std::shared_ptr<const FeatureStore> store_of_one(float value) {
  return std::make_shared<const DenseStore>(Matrix(Matrix::Constant(1, 1, value)));
}

TEST(StoreShelf, finds_each_of_its_stores_by_the_digest_and_no_other) {
  const auto one = store_of_one(1);
  const auto two = store_of_one(2);
  const StoreShelf shelf({one, nullptr, two});
  EXPECT_EQ(shelf.find(one->digest()), one);
  EXPECT_EQ(shelf.find(two->digest()), two);
  EXPECT_EQ(shelf.find(store_of_one(3)->digest()), nullptr);
  EXPECT_EQ(StoreShelf({}).find(one->digest()), nullptr);
}

std::string digest_of(std::vector<DenseStore::Source> sources) {
  return DenseStore(std::move(sources)).digest();
}

TEST(StoreShelf, knows_stores_of_the_same_numbers_apart) {
  const Matrix wide = Matrix::Constant(1, 4, 2.0F);
  const Matrix square = Matrix::Constant(2, 2, 2.0F);
  const std::string plain = digest_of({{"features", square, {}}});
  EXPECT_EQ(digest_of({{"features", square, {}}}), plain);
  EXPECT_NE(digest_of({{"features", wide, {}}}), plain) << "another shape";
  const std::string named = digest_of({{"features", square, {"ab", "c"}}});
  EXPECT_NE(named, plain) << "columns have names";
  EXPECT_NE(digest_of({{"features", square, {"a", "bc"}}}), named) << "other names";
  EXPECT_NE(digest_of({{"features", square, {"c", "ab"}}}), named) << "another order";
}

}  // namespace
}  // namespace tyto
