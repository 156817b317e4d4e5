// SPDX-License-Identifier: Apache-2.0
#include "cluster/group_rows.hpp"
#include "cluster/toy_cluster.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::int32_t> first_classes(const std::vector<std::int32_t>& truth,
                                        std::int32_t classes) {
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    labels.push_back(truth[i] < classes && i % 3 != 0 ? truth[i] : -1);
  }
  return labels;
}

TEST(SsKmeans, keeps_labelled_rows_with_their_class) {
  // Rows 0 and 4 share a class although they lie apart; rows 2 and 3 are their own group.
  const std::vector<std::int32_t> labels{7, -1, -1, -1, 7, 3};
  const Partitions found = toy::cluster_by("ss_kmeans", {{"groups", "3"}},
                                           {toy::column({0, 1, 40, 41, 20, 22}), labels});
  EXPECT_THAT(toy::chosen(found), ElementsAre(0, 0, 1, 1, 0, 2));
}

TEST(SsKmeans, finds_how_many_groups_there_are) {
  Rng rng(3);
  const toy::Blobs blobs = toy::make_blobs(rng, 9, 40, 4, 12.0);
  const std::vector<std::int32_t> labels = first_classes(blobs.truth, 5);
  const Partitions found =
      toy::cluster_by("ss_kmeans", {{"max_groups", "40"}}, {blobs.rows, labels});
  EXPECT_NEAR(static_cast<double>(toy::count_groups(toy::chosen(found))), 9.0, 1.0);
  EXPECT_GT(toy::same_pairs(toy::chosen(found), blobs.truth), 0.95);
}

TEST(SsKmeans, takes_the_number_asked_for_before_its_own) {
  Rng rng(4);
  const toy::Blobs blobs = toy::make_blobs(rng, 4, 30, 4, 12.0);
  const std::vector<std::int32_t> labels = first_classes(blobs.truth, 2);
  EXPECT_EQ(toy::chosen(toy::cluster_by("ss_kmeans", {{"groups", "7"}}, {blobs.rows, labels, 4})),
            blobs.truth);
}

TEST(SsKmeans, says_what_it_did_where_it_could_not_do_as_asked) {
  const Matrix rows = toy::column({1, 1, 5, 5, 9, 9, 9, 9});
  const std::vector<std::int32_t> labels{0, -1, 1, -1, 2, -1, -1, -1};
  const Partitions few = toy::cluster_by("ss_kmeans", {{"groups", "2"}}, {rows, labels});
  EXPECT_EQ(toy::count_groups(toy::chosen(few)), 3);
  EXPECT_THAT(few.notes, ElementsAre(HasSubstr("3 classes are labelled")));
  const Partitions many = toy::cluster_by("ss_kmeans", {{"groups", "6"}}, {rows, labels});
  EXPECT_EQ(toy::count_groups(toy::chosen(many)), 3);
  EXPECT_THAT(many.notes, ElementsAre(HasSubstr("fall into 3 only")));
  const Partitions none = toy::cluster_by("ss_kmeans", {}, {rows});  // sqrt(8 / 2)
  EXPECT_EQ(toy::count_groups(toy::chosen(none)), 2);
  EXPECT_THAT(none.notes, ElementsAre(HasSubstr("sqrt(rows / 2) = 2")));
}

// Unlabelled rows 0, 1, 5, 9 on a line; row 4, at 20, is of the one labelled class.
TEST(SsKmeans, released_makes_one_update_and_one_more_assignment) {
  // The pinned centre is 20; one new centre c begins at a drawn row. Sound: {0, 1, 5, 9} has the
  // mean 3.75. Released stops after one update, which here is the same mean for every draw: from
  // any of the four, all four are nearer to it than to 20, but 9 from 0 (9 < 11) too.
  const std::vector<std::int32_t> labels{-1, -1, -1, -1, 2};
  for (const char* form : {"sound", "released", "vaze"}) {
    const Partitions found = toy::cluster_by("ss_kmeans", {{"groups", "2"}, {"form", form}},
                                             {toy::column({0.5, 1, 5, 9, 20}), labels});
    if (std::string(form) != "vaze") {  // which puts all of a line in one place
      EXPECT_THAT(toy::chosen(found), ElementsAre(0, 0, 0, 0, 1)) << form;
    }
  }
}

TEST(SsKmeans, released_has_not_converged_where_sound_has) {
  Rng rng(8);
  const toy::Blobs blobs = toy::make_blobs(rng, 12, 60, 3, 3.0);
  const std::vector<std::int32_t> labels = first_classes(blobs.truth, 4);
  const auto inertia = [&](const char* form) {
    const Partitions found = toy::cluster_by(
        "ss_kmeans", {{"groups", "12"}, {"form", form}, {"starts", "1"}}, {blobs.rows, labels});
    const Grouping& groups = toy::chosen(found);
    Dense<double> sum = Dense<double>::Zero(12, 3);
    std::vector<double> size(12, 0.0);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      sum.row(groups[i]) += blobs.rows.row(static_cast<Index>(i)).cast<double>();
      size[static_cast<std::size_t>(groups[i])] += 1.0;
    }
    double total = 0.0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const Eigen::RowVectorXd mean =
          sum.row(groups[i]) / size[static_cast<std::size_t>(groups[i])];
      total += (blobs.rows.row(static_cast<Index>(i)).cast<double>() - mean).squaredNorm();
    }
    return total;
  };
  EXPECT_LT(inertia("sound"), inertia("released"));
}

TEST(SsKmeans, scores_choose_the_group_that_was_found) {
  Rng rng(9);
  const toy::Blobs blobs = toy::make_blobs(rng, 5, 30, 4, 8.0);
  const std::vector<std::int32_t> labels = first_classes(blobs.truth, 2);
  for (const char* sizes : {"free", "weighted", "even"}) {
    const Partitions found =
        toy::cluster_by("ss_kmeans", {{"groups", "5"}, {"sizes", sizes}}, {blobs.rows, labels});
    ASSERT_TRUE(found.scores.has_value());
    const Matrix scores = found.scores->of(blobs.rows);
    for (Index i = 0; i < scores.rows(); ++i) {
      Index best = 0;
      scores.row(i).maxCoeff(&best);
      EXPECT_EQ(best, toy::chosen(found)[static_cast<std::size_t>(i)]) << sizes;
    }
  }
}

TEST(SsKmeans, even_sizes_share_a_crowd) {
  // 30 rows near 0 and 10 near 6: free gives 30 and 10, even moves the cut into the crowd.
  Matrix rows(40, 1);
  for (Index i = 0; i < 40; ++i) {
    rows(i, 0) = i < 30 ? 0.1F * static_cast<float>(i) : 6.0F + 0.1F * static_cast<float>(i - 30);
  }
  const auto larger = [&](const char* sizes) {
    const Partitions found =
        toy::cluster_by("ss_kmeans", {{"groups", "2"}, {"sizes", sizes}}, {rows});
    const Grouping& groups = toy::chosen(found);
    const Index first = std::count(groups.begin(), groups.end(), 0);
    return std::max(first, 40 - first);
  };
  EXPECT_EQ(larger("free"), 30);
  EXPECT_LE(larger("even"), 24);
}

}  // namespace
}  // namespace tyto
