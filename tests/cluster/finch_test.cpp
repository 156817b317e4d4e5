// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/methods/finch.hpp"

#include <cmath>

#include "cluster/literal_finch.hpp"
#include "math/random_rows.hpp"
#include <Eigen/Geometry>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;

std::vector<Index> counts_of(const std::vector<Grouping>& levels) {
  std::vector<Index> out;
  for (const Grouping& level : levels) {
    out.push_back(group_count(level));
  }
  return out;
}

Partitions finch_partitions(const ClusterTask& task, const std::string& options = "{}") {
  Progress progress;
  Work work{Rng(1, "finch"), progress};
  return find_clusterer("finch").make(parse_yaml(options, "options"), "finch")->cluster(task, work);
}

// Points of a grid of few values (ties, duplicates, zero rows) or of no ties at all.
Matrix finch_points(std::uint64_t seed) {
  Rng rng(seed, "points");
  const Index n = 1 + rng.below(60);
  const Index d = 1 + rng.below(4);
  const bool whole = rng.uniform() < 0.5;
  Matrix out(n, d);
  for (Index i = 0; i < out.size(); ++i) {
    out.data()[i] = whole ? static_cast<float>(rng.below(7)) - 2.0F
                          : static_cast<float>(rng.normal() + 4.0 * std::floor(3 * rng.uniform()));
  }
  return out;
}

TEST(Finch, equals_its_literal_definition_on_random_points) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Matrix rows = finch_points(seed);
    if (rows.rows() < 2) {
      continue;
    }
    FinchSettings settings;
    settings.metric = static_cast<Metric>(seed % 3);
    settings.early_exit = seed % 4 != 0;
    settings.weight = seed % 5 == 0 ? LinkWeight::binary : LinkWeight::shared;
    EXPECT_EQ(finch_levels(rows, settings).levels, literal_finch(rows, settings))
        << "seed " << seed;
  }
}

TEST(Finch, of_ten_unit_vectors_as_worked_out_by_hand) {
  const std::vector<double> degrees{0, 2, 5, 40, 41, 90, 92, 180, 183, 187};
  Matrix rows(10, 2);
  for (Index i = 0; i < 10; ++i) {
    const double angle = degrees[static_cast<std::size_t>(i)] * M_PI / 180.0;
    rows.row(i) << static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle));
  }
  const FinchLevels found = finch_levels(rows);
  // 180 and 187 share 183: the longest link is 1 - cos 7 deg. Every link of the four means is
  // longer, so that the next level has as many groups and is left out.
  EXPECT_NEAR(found.longest_link, 0.007454, 1e-6);
  EXPECT_EQ(found.levels, (std::vector<Grouping>{{0, 0, 0, 1, 1, 2, 2, 3, 3, 3}}));
}

TEST(LongestLink, equals_all_pairs_on_hubs_of_every_kind) {
  for (const Metric metric : {Metric::cosine, Metric::euclidean, Metric::manhattan}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Matrix rows = random_rows(250, 12, seed);
      if (seed % 2 == 0) {
        rows.rowwise().normalize();
      }
      if (metric == Metric::cosine) {
        rows.col(0).array() += 3.0F;
      }
      rows.row(123) = rows.colwise().mean();  // everyone's neighbour
      rows.bottomRows(seed >= 4 ? 30 : 0).setZero();
      const RowDistance<float> distance(rows, metric);
      const FirstNeighbours first = first_neighbours(distance);
      for (const LinkWeight weight : {LinkWeight::shared, LinkWeight::binary}) {
        const LiteralLinks links = literal_links(distance, first.row, weight);
        EXPECT_EQ(longest_link(distance, first, weight),
                  links.weight.cwiseProduct(links.distance).maxCoeff());
      }
    }
  }
}

TEST(Finch, of_many_equal_rows_is_one_group) {
  const Matrix rows = Matrix::Constant(4000, 16, 0.3F);
  for (const Metric metric : {Metric::cosine, Metric::euclidean}) {
    const FinchLevels found = finch_levels(rows, {.metric = metric});
    EXPECT_EQ(counts_of(found.levels), std::vector<Index>{1});
    EXPECT_EQ(found.longest_link, 0.0);
  }
}

TEST(Finch, takes_first_neighbours_and_then_exits_late) {
  Matrix rows(6, 1);
  rows << 0, 5, 1, 6, 2, 7;
  const FirstNeighbours given{{2, 3, 0, 1, 2, 3}, {}};
  const FinchLevels found = finch_levels(rows, {.metric = Metric::euclidean}, &given);
  EXPECT_EQ(found.levels, (std::vector<Grouping>{{0, 1, 0, 1, 0, 1}}));
  EXPECT_TRUE(std::isinf(found.longest_link));
  const FirstNeighbours own{{2, 1, 0, 1, 2, 3}, {}};
  try {
    finch_levels(rows, {}, &own);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("first neighbour of row 1 is given as 1"));
  }
}

TEST(Finch, weighs_by_time_where_asked) {
  // Eight directions; those of 4..7 are near to 0..3, but later.
  const std::vector<double> degrees{0, 10, 90, 100, 1, 11, 91, 101};
  Matrix rows(8, 2);
  for (Index i = 0; i < 8; ++i) {
    const double angle = degrees[static_cast<std::size_t>(i)] * M_PI / 180.0;
    rows.row(i) << static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle));
  }
  EXPECT_EQ(finch_levels(rows).levels.front(), (Grouping{0, 1, 2, 3, 0, 1, 2, 3}));
  // 0 and 1: (1 - cos 10) / 8 = 0.0019; 0 and 4: (1 - cos 1) 4 / 8 = 0.00008. The angle
  // decides. 28 degrees apart they are at (1 - cos 28) 4 / 8 = 0.06, and time decides.
  EXPECT_EQ(finch_levels(rows, {.time_weighted = true}).levels.front(),
            (Grouping{0, 1, 2, 3, 0, 1, 2, 3}));
  rows.bottomRows(4) *= Eigen::Rotation2Df(static_cast<float>(29.0 * M_PI / 180.0)).matrix();
  EXPECT_EQ(finch_levels(rows, {.time_weighted = true}).levels.front(),
            (Grouping{0, 0, 1, 1, 2, 2, 3, 3}));
}

TEST(Finch, refuses_what_is_no_number) {
  Matrix rows = random_rows(5, 2, 1);
  rows(3, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(finch_levels(rows), Error);
  EXPECT_THROW(finch_levels(Matrix(0, 3)), Error);
}

TEST(MergeClosest, equals_merging_with_all_pairs_measured) {
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    const Matrix rows = random_rows(60, 3, seed);
    const Metric metric = static_cast<Metric>(seed % 3);
    const Grouping finest = finch_levels(rows, {.metric = metric}).levels.front();
    for (Index count = group_count(finest); count > 0; --count) {
      EXPECT_EQ(merge_closest(rows, finest, count, metric),
                literal_merge(rows, finest, count, metric))
          << "seed " << seed << ", " << count << " groups";
    }
  }
}

TEST(MergeClosest, leaves_the_number_asked_for_among_ties) {
  Matrix rows(8, 1);
  rows << 0, 1, 2, 3, 4, 5, 6, 7;
  const Grouping alone{0, 1, 2, 3, 4, 5, 6, 7};
  // 0-1 first, whose mean 0.5 is then 1.5 from 2: the next tie is 2-3, and so on.
  EXPECT_EQ(merge_closest(rows, alone, 7, Metric::euclidean), (Grouping{0, 0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(merge_closest(rows, alone, 5, Metric::euclidean), (Grouping{0, 0, 1, 1, 2, 2, 3, 4}));
  for (Index count = 1; count <= 8; ++count) {
    EXPECT_EQ(group_count(merge_closest(rows, alone, count, Metric::euclidean)), count);
  }
}

TEST(NearestGroups, gives_new_rows_the_group_of_the_nearest_mean) {
  Matrix rows(4, 2);
  rows << 0, 1, 0, 3, 10, 1, 30, 3;
  const Dense<double> means = group_means(rows, {0, 0, 1, 1});  // (0, 2) and (20, 2)
  EXPECT_EQ(means(1, 0), 20.0);
  Matrix fresh(3, 2);
  fresh << 9, 9, 11, 9, 0, 0;
  EXPECT_EQ(nearest_groups(fresh, means, Metric::euclidean), (Grouping{0, 1, 0}));
  EXPECT_EQ(nearest_groups(fresh, means, Metric::manhattan), (Grouping{0, 1, 0}));
  EXPECT_EQ(nearest_groups(fresh, means, Metric::cosine), (Grouping{1, 1, 0}));
}

TEST(CentroidSilhouette, of_a_hand_worked_case) {
  Matrix rows(4, 1);
  rows << 0, 2, 10, 12;  // a = 2 each, to the other; means 1 and 11: b = 11, 9, 9, 11
  EXPECT_NEAR(*centroid_silhouette(rows, {0, 0, 1, 1}, Metric::euclidean), (9.0 / 11 + 7.0 / 9) / 2,
              1e-6);
  EXPECT_FALSE(centroid_silhouette(rows, {0, 0, 0, 0}, Metric::euclidean));
}

TEST(FinchClusterer, puts_the_number_asked_for_among_the_levels) {
  const Matrix rows = random_rows(200, 4, 1);
  const Partitions plain = finch_partitions({.rows = rows});
  ASSERT_GE(plain.levels.size(), 2U);
  const Index finest = group_count(plain.levels.front());
  const Partitions asked = finch_partitions({.rows = rows, .groups = finest - 1});
  EXPECT_EQ(asked.chosen, 1U);
  EXPECT_EQ(group_count(asked.levels[1]), finest - 1);
  EXPECT_EQ(asked.levels.size(), plain.levels.size() + 1);
  const Partitions more = finch_partitions({.rows = rows, .groups = 150});
  EXPECT_EQ(more.levels[more.chosen], plain.levels.front());
  EXPECT_THAT(more.notes,
              testing::Contains(HasSubstr("asked for 150 groups, the finest level has")));
}

TEST(FinchClusterer, chooses_the_level_by_labels_else_by_quality) {
  Matrix rows = random_rows(300, 8, 2) * 0.2F;
  std::vector<std::int32_t> labels;
  for (Index i = 0; i < 300; ++i) {
    rows(i, i % 5) += 5.0F;
    labels.push_back(i < 200 ? static_cast<std::int32_t>(i % 5) : -1);
  }
  const Partitions by_labels = finch_partitions({.rows = rows, .labels = labels});
  EXPECT_EQ(group_count(by_labels.levels[by_labels.chosen]), 5);
  const Partitions by_quality = finch_partitions({.rows = rows});
  EXPECT_EQ(by_quality.chosen, by_labels.chosen);
  EXPECT_EQ(finch_partitions({.rows = rows}, "{level: finest}").chosen, 0U);
}

TEST(FinchClusterer, finds_the_levels_by_approximate_neighbours_and_tells_their_recall) {
  Matrix rows = random_rows(1000, 8, 3);
  for (Index i = 0; i < rows.rows(); ++i) {
    rows(i, i % 8) += 20.0F;
  }
  const std::string options = "{neighbours: approximate, metric: euclidean}";
  const Partitions found = finch_partitions({.rows = rows}, options);
  EXPECT_EQ(found.levels, finch_partitions({.rows = rows}, options).levels);
  EXPECT_EQ(group_count(found.levels[found.chosen]), 8);
  EXPECT_THAT(found.notes.front(), HasSubstr("recall of the first "));
  const Matrix two = random_rows(2, 3, 4);
  EXPECT_EQ(finch_partitions({.rows = two}, options).levels, (std::vector<Grouping>{{0, 0}}));
  const Matrix equal = Matrix::Ones(500, 3);
  EXPECT_EQ(counts_of(finch_partitions({.rows = equal}, options).levels), std::vector<Index>{1});
}

TEST(FinchClusterer, of_one_row_is_one_group) {
  const Matrix row = Matrix::Ones(1, 3);
  EXPECT_EQ(finch_partitions({.rows = row}).levels, (std::vector<Grouping>{{0}}));
  EXPECT_EQ(finch_partitions({.rows = row}, "{time_weighted: true}").levels,
            (std::vector<Grouping>{{0}}));
}

}  // namespace
}  // namespace tyto
