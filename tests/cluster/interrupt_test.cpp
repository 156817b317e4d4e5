// SPDX-License-Identifier: Apache-2.0
#include "math/random_rows.hpp"
#include "support/interrupted.hpp"
#include <gtest/gtest.h>

#include "tyto/cluster/kmeans.hpp"
#include "tyto/cluster/leiden.hpp"

namespace tyto {
namespace {

TEST(LongGroupings, end_at_an_interrupt) {
  const Matrix rows = random_rows(200, 3, 1);
  testing_support::expect_cut_short([&] { k_means(rows, 5, Rng(1, "k")); });
  testing_support::expect_cut_short([&] {
    std::vector<GraphEdge> ring;
    for (std::int32_t i = 0; i < 20; ++i) {
      ring.push_back({i, (i + 1) % 20, 1.0});
    }
    leiden(make_graph(20, ring), Rng(1, "leiden"));
  });
}

}  // namespace
}  // namespace tyto
