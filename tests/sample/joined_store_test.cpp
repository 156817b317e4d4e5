// SPDX-License-Identifier: Apache-2.0
#include "tyto/sample/stores/joined_store.hpp"

#include "sample/store_helpers.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/random.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

std::shared_ptr<const FeatureStore> counting_store(Index rows, Index cols, float start,
                                                   const std::string& source = "features") {
  Matrix values(rows, cols);
  for (Index i = 0; i < values.size(); ++i) {
    values.data()[i] = start + static_cast<float>(i);
  }
  std::vector<DenseStore::Source> sources;
  sources.push_back({source, values, {}});
  return std::make_shared<DenseStore>(std::move(sources));
}

TEST(JoinedStore, counts_the_rows_of_one_piece_after_the_other) {
  const JoinedStore store({{"a", counting_store(2, 2, 0)},
                           {"empty", counting_store(0, 2, 0)},
                           {"b", counting_store(3, 2, 100)}});
  EXPECT_EQ(store.rows(), 5);
  const std::vector<Index> rows{4, 0, 2, 1};
  Matrix out(4, 2);
  store.gather("features", rows, out);
  EXPECT_EQ(out, (Matrix(4, 2) << 104, 105, 0, 1, 100, 101, 2, 3).finished());
}

TEST(JoinedStore, equals_the_stacked_matrix_for_any_rows) {
  const JoinedStore store({{"a", counting_store(10, 3, 0)},
                           {"b", counting_store(7, 3, 30)},
                           {"c", counting_store(20, 3, 51)}});
  Rng rng(5);
  std::vector<Index> rows;
  for (int i = 0; i < 200; ++i) {
    rows.push_back(rng.below(37));
  }
  Matrix out(200, 3);
  store.gather("features", rows, out);
  for (Index i = 0; i < 200; ++i) {  // the pieces count on from one another: value = 3 row + column
    EXPECT_EQ(out(i, 1), static_cast<float>(3 * rows[static_cast<std::size_t>(i)] + 1));
  }
}

TEST(JoinedStore, refuses_pieces_that_do_not_fit) {
  EXPECT_THAT(
      refusal([] {
        JoinedStore({{"letters", counting_store(2, 16, 0)}, {"digits", counting_store(2, 64, 0)}});
      }),
      HasSubstr("\"features\" has the shape (16) in letters but (64) in digits"));
  EXPECT_THAT(refusal([] {
                JoinedStore({{"a", counting_store(2, 2, 0, "pose")},
                             {"b", counting_store(2, 2, 0, "rgb")}});
              }),
              HasSubstr("share no source: a has pose; b has rgb"));
}

TEST(CombinedStore, has_the_sources_of_all_pieces) {
  const CombinedStore store(
      {{"a", counting_store(2, 2, 0)}, {"b", counting_store(2, 1, 9, "logits")}});
  EXPECT_EQ(store.sources(), (std::vector<std::string>{"features", "logits"}));
  EXPECT_EQ(store.shape("logits"), std::vector<Index>{1});
  const std::vector<Index> rows{1};
  Matrix out(1, 1);
  store.gather("logits", rows, out);
  EXPECT_EQ(out(0, 0), 10);
  EXPECT_THAT(refusal([&] { (void)store.shape("rgb"); }), HasSubstr("features, logits"));
}

TEST(CombinedStore, refuses_other_row_counts_and_a_source_given_twice) {
  EXPECT_THAT(refusal([] {
                CombinedStore({{"a.npy", counting_store(2, 2, 0)},
                               {"b.npy", counting_store(3, 1, 9, "logits")}});
              }),
              HasSubstr("b.npy has 3 rows, but a.npy has 2"));
  EXPECT_THAT(
      refusal([] {
        CombinedStore({{"a.npy", counting_store(2, 2, 0)}, {"b.npy", counting_store(2, 2, 0)}});
      }),
      HasSubstr("a.npy and b.npy both hold the source \"features\""));
}

TEST(StoresOfStores, have_digests_that_depend_on_kind_order_and_content) {
  const auto a = counting_store(2, 2, 0);
  const auto b = counting_store(2, 2, 5);
  EXPECT_EQ(JoinedStore({{"a", a}, {"b", b}}).digest(), JoinedStore({{"x", a}, {"y", b}}).digest());
  EXPECT_NE(JoinedStore({{"a", a}, {"b", b}}).digest(), JoinedStore({{"a", b}, {"b", a}}).digest());
  EXPECT_NE(JoinedStore({{"a", a}}).digest(), CombinedStore({{"a", a}}).digest());
}

}  // namespace
}  // namespace tyto
