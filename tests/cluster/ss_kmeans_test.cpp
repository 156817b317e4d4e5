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
  EXPECT_THAT(many.notes, ElementsAre(HasSubstr("differ in 3 places")));
  const Partitions none = toy::cluster_by("ss_kmeans", {}, {rows});  // sqrt(8 / 2)
  EXPECT_EQ(toy::count_groups(toy::chosen(none)), 2);
  EXPECT_THAT(none.notes, ElementsAre(HasSubstr("sqrt(rows / 2) = 2")));
}

}  // namespace
}  // namespace tyto
