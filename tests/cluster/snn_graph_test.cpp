// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "cluster/group_rows.hpp"
#include "cluster/toy_cluster.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/cluster/snn.hpp"

namespace tyto {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(NearRows, leave_the_row_itself_out_also_among_equals) {
  const Matrix rows = toy::column({5, 5, 5, 5, 9});
  const Dense<std::int32_t> near = near_rows(rows, 2);
  EXPECT_THAT(near.row(0), ElementsAre(1, 2));
  EXPECT_THAT(near.row(3), ElementsAre(0, 1));  // 0, 1 and 2 come before 3 itself
  EXPECT_THAT(near.row(4), ElementsAre(0, 1));
  EXPECT_EQ(near_rows(rows, 10).cols(), 4);
  EXPECT_EQ(near_rows(toy::column({1}), 10).cols(), 0);
}

TEST(SharedNeighbourGraph, weighs_by_the_share_of_common_near_rows) {
  // With themselves: 0 {0 1 2}, 1 {0 1 2}, 2 {1 2 3}, 3 {1 2 3}.
  Dense<std::int32_t> near(4, 2);
  near << 1, 2, 0, 2, 1, 3, 2, 1;
  const WeightedGraph graph = shared_neighbour_graph(near);
  EXPECT_THAT(graph.first, ElementsAre(0, 2, 5, 8, 10));
  EXPECT_THAT(graph.to, ElementsAre(1, 2, 0, 2, 3, 0, 1, 3, 1, 2));
  // 0-1: 3/3; 0-2: {1 2} of {0 1 2 3}; 1-2 likewise; 1-3: {1 2} of four; 2-3: 3/3.
  EXPECT_THAT(graph.weight, ElementsAre(1, 0.5, 1, 0.5, 0.5, 0.5, 0.5, 1, 0.5, 1));
}

TEST(SnnGraph, keeps_unlike_blobs_apart_at_resolution_1) {
  Rng rng(3);
  const toy::Blobs blobs = toy::make_blobs(rng, 6, 50, 8, 6.0);
  const Partitions found = toy::cluster_by("snn_graph", {{"metric", "euclidean"}}, {blobs.rows});
  ASSERT_EQ(found.levels.size(), 13U);
  EXPECT_EQ(found.chosen, 6U);
  EXPECT_EQ(found.levels[found.chosen], blobs.truth);
  EXPECT_GT(toy::count_groups(found.levels.front()), toy::count_groups(found.levels.back()));
}

TEST(SnnGraph, takes_the_resolution_that_suits_the_labels) {
  // Pairs of blobs close to each other; the labels call each pair one class.
  Rng rng(4);
  toy::Blobs blobs = toy::make_blobs(rng, 4, 60, 5, 40.0);
  std::vector<std::int32_t> labels;
  for (Index i = 0; i < blobs.rows.rows(); ++i) {
    blobs.rows(i, 0) += i % 8 < 4 ? 0.0F : 3.0F;
    labels.push_back(i % 4 < 2 ? static_cast<std::int32_t>(i % 4) : -1);
  }
  const Partitions found =
      toy::cluster_by("snn_graph", {{"metric", "euclidean"}}, {blobs.rows, labels});
  EXPECT_GT(found.chosen, 6U);  // coarser than 1, which splits the pairs
  EXPECT_EQ(toy::chosen(found), blobs.truth);
  EXPECT_NE(found.levels[6], blobs.truth);
}

TEST(SnnGraph, meets_the_number_of_groups_asked_for) {
  Rng rng(5);
  const Matrix rows = toy::random_rows(rng, 400, 5);  // one piece, which may be cut anywhere
  for (const Index groups : {3, 5, 7, 10, 30}) {
    const Partitions found = toy::cluster_by("snn_graph", {}, {rows, {}, groups});
    EXPECT_LE(std::abs(toy::count_groups(found.levels[found.chosen]) - groups), 1);
    EXPECT_EQ(found.notes.empty(), toy::count_groups(found.levels[found.chosen]) == groups);
  }
  const Partitions found = toy::cluster_by("snn_graph", {}, {rows, {}, 10000});
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_THAT(found.notes[0], testing::StartsWith("asked for 10000 groups, the nearest found is"));
}

TEST(SnnGraph, uses_the_near_rows_it_is_given) {
  Rng rng(6);
  const Matrix rows = toy::random_rows(rng, 200, 4);
  Neighbours near;
  near.row = near_rows(rows, 20);
  const Grouping own = toy::chosen(toy::cluster_by("snn_graph", {{"metric", "euclidean"}}, {rows}));
  EXPECT_EQ(
      toy::chosen(toy::cluster_by("snn_graph", {{"metric", "euclidean"}}, {rows, {}, 0, &near})),
      own);
  // Those of other rows give other groups; by cosine they do not count, since lengths differ.
  near.row = near_rows(toy::random_rows(rng, 200, 4), 20);
  EXPECT_NE(
      toy::chosen(toy::cluster_by("snn_graph", {{"metric", "euclidean"}}, {rows, {}, 0, &near})),
      own);
  EXPECT_EQ(toy::chosen(toy::cluster_by("snn_graph", {}, {rows, {}, 0, &near})),
            toy::chosen(toy::cluster_by("snn_graph", {}, {rows})));
  // Fewer than k are not wide enough.
  near.row = near.row.leftCols(3).eval();
  EXPECT_EQ(
      toy::chosen(toy::cluster_by("snn_graph", {{"metric", "euclidean"}}, {rows, {}, 0, &near})),
      own);
}

}  // namespace
}  // namespace tyto
