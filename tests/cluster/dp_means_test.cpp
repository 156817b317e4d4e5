// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "cluster/group_rows.hpp"
#include "cluster/toy_cluster.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::StartsWith;

// The sweep as Kulis and Jordan write it down, a row at a time.
Grouping plain_dp_means(const Matrix& rows, double lambda) {
  Matrix centres = rows.cast<double>().colwise().mean().cast<float>();
  Grouping group(static_cast<std::size_t>(rows.rows()), -1);
  double last = std::numeric_limits<double>::infinity();
  for (int sweep = 0; sweep < 100; ++sweep) {
    const Grouping before = group;
    double objective = 0.0;
    for (Index i = 0; i < rows.rows(); ++i) {
      Index best = 0;
      const float distance =
          (centres.rowwise() - rows.row(i)).rowwise().squaredNorm().minCoeff(&best);
      if (static_cast<double>(distance) > lambda) {
        best = centres.rows();
        centres.conservativeResize(best + 1, Eigen::NoChange);
        centres.row(best) = rows.row(i);
      } else {
        objective += static_cast<double>(distance);
      }
      group[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(best);
    }
    group = numbered(group);
    objective += lambda * static_cast<double>(toy::count_groups(group));
    if (group == before || last - objective <= 1e-5 * objective) {
      break;
    }
    last = objective;
    Dense<double> next = Dense<double>::Zero(toy::count_groups(group), rows.cols());
    Eigen::VectorXd size = Eigen::VectorXd::Zero(next.rows());
    for (Index i = 0; i < rows.rows(); ++i) {
      next.row(group[static_cast<std::size_t>(i)]) += rows.row(i).cast<double>();
      size[group[static_cast<std::size_t>(i)]] += 1.0;
    }
    centres = (next.array().colwise() / size.array()).cast<float>();
  }
  return group;
}

TEST(DpMeans, begins_a_group_beyond_lambda) {
  // The mean is 4. With lambda 9: 0 is 16 away and begins a group at 0; 1 lies 1 from it; 11 is 49
  // from the mean and begins another. The mean's group is empty and goes.
  const Matrix rows = toy::column({0, 1, 11});
  EXPECT_THAT(toy::chosen(toy::cluster_by("dp_means", {{"lambda", "9"}}, {rows})),
              ElementsAre(0, 0, 1));
  EXPECT_THAT(toy::chosen(toy::cluster_by("dp_means", {{"lambda", "1000"}}, {rows})), Each(0));
  EXPECT_THAT(toy::chosen(toy::cluster_by("dp_means", {{"lambda", "0.1"}}, {rows})),
              ElementsAre(0, 1, 2));
}

TEST(DpMeans, sweeps_row_by_row_whatever_the_blocks) {
  Rng rng(3);
  const toy::Blobs blobs = toy::make_blobs(rng, 6, 400, 3, 10.0);  // 2400 rows, three blocks
  for (const double lambda : {60.0, 150.0, 600.0}) {
    EXPECT_EQ(toy::chosen(
                  toy::cluster_by("dp_means", {{"lambda", std::to_string(lambda)}}, {blobs.rows})),
              plain_dp_means(blobs.rows, lambda));
  }
}

TEST(DpMeans, sweeps_in_the_order_of_the_rows) {
  const Grouping up =
      toy::chosen(toy::cluster_by("dp_means", {{"lambda", "5"}}, {toy::column({0, 2, 4, 6, 8})}));
  const Grouping down =
      toy::chosen(toy::cluster_by("dp_means", {{"lambda", "5"}}, {toy::column({6, 8, 4, 0, 2})}));
  EXPECT_EQ(up, plain_dp_means(toy::column({0, 2, 4, 6, 8}), 5.0));
  EXPECT_EQ(down, plain_dp_means(toy::column({6, 8, 4, 0, 2}), 5.0));
}

TEST(DpMeans, takes_the_lambda_that_suits_the_labels) {
  Rng rng(5);
  const toy::Blobs blobs = toy::make_blobs(rng, 5, 40, 3, 30.0);
  std::vector<std::int32_t> labels = blobs.truth;
  for (std::int32_t& label : labels) {
    label = label < 3 ? label : -1;
  }
  const Partitions found = toy::cluster_by("dp_means", {}, {blobs.rows, labels});
  EXPECT_GT(found.levels.size(), 5U);
  EXPECT_EQ(toy::chosen(found), blobs.truth);
  EXPECT_GE(toy::count_groups(found.levels.front()), toy::count_groups(found.levels.back()));
}

TEST(DpMeans, meets_an_expected_number_of_far_groups) {
  Rng rng(6);
  const toy::Blobs blobs = toy::make_blobs(rng, 5, 40, 3, 30.0);
  const Partitions asked = toy::cluster_by("dp_means", {}, {blobs.rows, {}, 5});
  EXPECT_EQ(toy::chosen(asked), blobs.truth);
  EXPECT_TRUE(asked.notes.empty());
  EXPECT_EQ(toy::chosen(toy::cluster_by("dp_means", {{"expected", "5"}}, {blobs.rows})),
            blobs.truth);
}

TEST(DpMeans, says_when_the_limit_kept_groups_from_beginning) {
  const Matrix rows = toy::column({0, 10, 20, 30});
  const Partitions found =
      toy::cluster_by("dp_means", {{"lambda", "1"}, {"max_groups", "2"}}, {rows});
  EXPECT_LE(toy::count_groups(toy::chosen(found)), 2);
  EXPECT_THAT(found.notes, ElementsAre(StartsWith("max_groups = 2")));
}

}  // namespace
}  // namespace tyto
