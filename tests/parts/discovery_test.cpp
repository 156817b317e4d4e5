// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/recogniser/discovery.hpp"

#include "parts/toy_experience.hpp"
#include <gtest/gtest.h>

#include "tyto/parts/recogniser/identity.hpp"

namespace tyto {
namespace {

using Merges = std::map<std::int32_t, std::int32_t>;

// Groups rows by their first feature, rounded, or by what the table says instead: what is found is
// then known beforehand.
struct ByFirstFeature final : Clusterer {
  explicit ByFirstFeature(const Merges& table) : merges(table) {}

  const Merges& merges;

  [[nodiscard]] Partitions cluster(const ClusterTask& task, Work&) const override {
    std::vector<std::int32_t> groups;
    for (Index i = 0; i < task.rows.rows(); ++i) {
      const auto own = static_cast<std::int32_t>(std::lround(task.rows(i, 0)));
      const auto found = merges.find(own);
      groups.push_back(found == merges.end() ? own : found->second);
    }
    return {{numbered(groups)}, 0, {}};
  }
};

// A class at first sight, for tests of what becomes of it.
DiscoveryOptions by_size() {
  DiscoveryOptions options;
  options.promote = {"size"};
  return options;
}

struct Stage {
  DiscoveryOptions options;
  Merges merges;
  std::unique_ptr<Discovery> part;
  LabelSpace space;
  Matrix known = Matrix::Constant(4, 2, 0.0F);  // class c1, at the origin
  std::vector<int> labels{1, 1, 1, 1};

  explicit Stage(DiscoveryOptions given = by_size()) : options(std::move(given)) {
    options.fewest = 3;
    part = std::make_unique<Discovery>(options, std::make_unique<ByFirstFeature>(merges),
                                       centroid_model());
    space.add_known("c1");
  }

  // Rows (x, 0), all of them novel unless said otherwise; ids from first_id.
  void show(const std::vector<float>& xs, std::uint32_t first_id, std::uint8_t novel = 1) {
    Matrix features = Matrix::Zero(static_cast<Index>(xs.size()), 2);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      features(static_cast<Index>(i), 0) = xs[i];
    }
    Evidence batch;
    batch.samples = toy_samples(features, first_id);
    batch.features = features;
    batch.novel.assign(xs.size(), novel);
    ToyWork work;
    part->discover(batch, ToyExperience(known, labels, {}, 4), space, work);
  }

  // Labels by number of the class for the samples from `first_id` on.
  void teach(const std::vector<float>& xs, std::uint32_t first_id, const std::vector<int>& given) {
    std::vector<int> entries;  // of the space, where discovered classes stand between the known
    for (const int c : given) {
      entries.push_back(static_cast<int>(space.add_known("c" + std::to_string(c))));
    }
    const Matrix features = Matrix::Zero(static_cast<Index>(xs.size()), 2);
    ToyExperience lesson(toy_samples(features, first_id), entries);
    lesson.starts_over_ = false;
    ToyWork work;
    part->revise(lesson, space, work);
  }

  [[nodiscard]] std::string group_of(float x) const {
    Matrix one(1, 2);
    one << x, 0.0F;
    Evidence evidence = toy_evidence(one);
    part->recognise(evidence);
    Index best = 0;
    evidence.membership.row(0).maxCoeff(&best);
    return space.name(evidence.groups[static_cast<std::size_t>(best)]);
  }
};

TEST(Discovery, groups_of_enough_unknowns_become_classes) {
  Stage stage;
  stage.show({5.0F, 5.1F, 4.9F, 9.0F, 9.1F}, 100);
  EXPECT_EQ(stage.group_of(5.0F), "discovered_0");
  EXPECT_EQ(stage.space.size(), 3);  // unknown, c1, discovered_0: two rows are too few
  EXPECT_EQ(stage.space.origin(Label{2}), "a group of 3 unknown samples");
}

TEST(Discovery, what_joins_a_known_class_is_no_discovery) {
  Stage stage;
  stage.show({0.1F, -0.1F, 0.2F}, 100);  // three unknowns, four guides of c1 at 0
  EXPECT_EQ(stage.space.size(), 2);
  EXPECT_EQ(stage.group_of(0.0F), "unknown");
}

TEST(Discovery, a_class_keeps_its_name_as_it_grows) {
  Stage stage;
  stage.show({5.0F, 5.1F, 4.9F}, 100);
  stage.show({8.0F, 8.1F, 7.9F, 8.2F}, 200);
  stage.show({5.2F, 5.1F, 8.1F}, 300);
  EXPECT_EQ(stage.group_of(5.0F), "discovered_0");
  EXPECT_EQ(stage.group_of(8.0F), "discovered_1");
  EXPECT_EQ(stage.space.size(), 4);
}

TEST(Discovery, the_same_samples_shown_again_count_once) {
  Stage stage;
  stage.show({5.0F, 5.1F}, 100);
  stage.show({5.0F, 5.1F}, 100);
  EXPECT_EQ(stage.space.size(), 2);
}

TEST(Discovery, samples_that_became_known_leave) {
  Stage stage;
  stage.show({5.0F, 5.1F, 4.9F}, 100);
  stage.show({5.0F, 5.1F, 4.9F}, 100, 0);
  stage.show({9.0F, 9.1F, 8.9F}, 200);
  EXPECT_EQ(stage.space.kind(Label{2}), LabelKind::retired);
  EXPECT_EQ(stage.space.why_retired(Label{2}), "forgotten: none of its members is kept");
}

TEST(Discovery, feedback_names_a_class_by_majority) {
  Stage stage;
  stage.show({5.0F, 5.1F, 4.9F, 5.2F, 9.0F, 9.1F, 8.9F}, 100);
  stage.teach({5.0F, 5.1F, 4.9F}, 100, {2, 2, 3});
  EXPECT_EQ(stage.space.kind(Label{2}), LabelKind::retired);
  EXPECT_EQ(stage.space.name(stage.space.merged_into(Label{2})), "c2");
  EXPECT_EQ(stage.space.why_retired(Label{2}), "named by feedback: 2 of 3 labelled members are c2");
  EXPECT_EQ(stage.group_of(9.0F), "discovered_1");
  EXPECT_EQ(stage.group_of(5.0F), "unknown");  // far from all that is left
}

TEST(Discovery, a_class_is_a_group_that_was_found_again) {
  Stage stage(DiscoveryOptions{});
  stage.show({5.0F, 5.1F, 4.9F}, 100);
  EXPECT_EQ(stage.space.size(), 2);
  stage.show({20.0F}, 200);
  EXPECT_EQ(stage.group_of(5.0F), "discovered_0");
  EXPECT_EQ(stage.space.size(), 3);
}

TEST(Discovery, size_is_asked_for_beside_consistency) {
  Stage stage(DiscoveryOptions{});
  stage.show({5.0F, 5.1F}, 100);
  stage.show({20.0F}, 200);
  stage.show({20.1F}, 300);
  EXPECT_EQ(stage.space.size(), 2);  // two members, three rounds
}

TEST(Discovery, rounds_are_in_a_row) {
  DiscoveryOptions options;
  options.rounds = 3;
  Stage stage(options);
  stage.show({5.0F, 5.1F, 4.9F, 5.2F, 4.8F}, 100);
  stage.show({20.0F}, 200);
  // Three of the five are thought known by now, and two more come: fewer than half are together.
  stage.show({5.0F, 5.1F, 4.9F}, 100, 0);
  EXPECT_EQ(stage.space.size(), 2);
  stage.show({5.1F, 5.0F}, 300);
  EXPECT_EQ(stage.space.size(), 2);  // the second round again
  stage.show({30.0F}, 400);
  EXPECT_EQ(stage.group_of(5.0F), "discovered_0");
}

TEST(Discovery, a_group_swallowed_by_others_is_not_found_again) {
  Stage stage(DiscoveryOptions{});
  stage.merges = {{5, 1}, {6, 2}, {7, 3}};
  stage.show({5.0F, 5.1F, 4.9F, 6.0F, 6.1F, 7.0F, 7.1F}, 100);
  stage.merges = {
      {5, 1}, {6, 1}, {7, 1}};  // three of seven: all of the former, but the lesser part
  stage.show({20.0F}, 200);
  EXPECT_EQ(stage.space.size(), 2);
  stage.show({20.1F}, 300);
  EXPECT_EQ(stage.group_of(5.0F), "discovered_0");  // the seven are together again
}

TEST(Discovery, enough_members_may_do_at_once) {
  DiscoveryOptions options;
  options.sure = 4;
  Stage stage(options);
  stage.show({5.0F, 5.1F, 4.9F, 9.0F, 9.1F, 8.9F, 9.2F}, 100);
  EXPECT_EQ(stage.space.size(), 3);
  EXPECT_EQ(stage.group_of(9.0F), "discovered_0");
}

TEST(Discovery, separation_asks_for_distance_from_the_known) {
  DiscoveryOptions options;
  options.promote = {"size", "separation"};
  options.separation = 40.0;
  Stage stage(options);
  // Centre 5, radius sqrt(2/3) 0.1 = 0.082: 5 / 0.082 = 61 radii from c1. The other: 2 / 0.082
  // = 24.
  stage.show({5.0F, 5.1F, 4.9F, 2.0F, 2.1F, 1.9F}, 100);
  EXPECT_EQ(stage.group_of(5.0F), "discovered_0");
  EXPECT_EQ(stage.space.size(), 3);
}

TEST(Discovery, forgets_when_the_features_have_moved) {
  Stage stage;
  stage.show({5.0F, 5.1F, 4.9F}, 100);
  ToyExperience moved(Matrix::Zero(2, 2), {1, 1});
  ToyWork work;
  stage.part->revise(moved, stage.space, work);
  EXPECT_EQ(stage.space.why_retired(Label{2}), "dissolved: the features have moved");
  EXPECT_EQ(stage.group_of(5.0F), "unknown");
}

TEST(TraceGroups, splits_and_merges_by_shared_members) {
  // Former group 0 has rows 0-4, group 1 rows 5-6. Now rows 0-2 are one group, 3-6 another.
  const std::vector<std::int32_t> before{0, 0, 0, 0, 0, 1, 1};
  const std::vector<std::int32_t> now{0, 0, 0, 1, 1, 1, 1};
  const Lineage found = trace_groups(before, 2, now, 2);
  EXPECT_EQ(found.former, (std::vector<Index>{0, 1}));  // 3 + 2 shared; the other way 2 + 0
  EXPECT_EQ(found.heir, (std::vector<Index>{0, 1}));
  EXPECT_EQ(found.shared, (std::vector<Index>{3, 2}));
  EXPECT_EQ(found.source, (std::vector<Index>{0, 0}));  // 2 of 4 from each; ties to the lower
  EXPECT_EQ(found.kept, (std::vector<Index>{3, 2}));
  EXPECT_EQ(found.settled, (std::vector<Index>{3, 4}));
}

TEST(TraceGroups, a_small_remnant_is_not_the_same_class) {
  // One of five former members is in the new group of three: less than a quarter.
  const Lineage found = trace_groups(std::vector<std::int32_t>{0, 0, 0, 0, 0, -1, -1}, 1,
                                     std::vector<std::int32_t>{-1, -1, -1, -1, 0, 0, 0}, 1);
  EXPECT_EQ(found.former, (std::vector<Index>{-1}));
  EXPECT_EQ(found.source, (std::vector<Index>{0}));
  EXPECT_EQ(found.kept, (std::vector<Index>{0}));
}

TEST(GroupModels, the_nearest_member_counts_whatever_the_shape) {
  Matrix rows(6, 2);  // a long group along x, a round one above its middle
  rows << 0, 0, 1, 0, 2, 0, 3, 0, 1.5F, 2, 1.6F, 2;
  const std::vector<std::int32_t> group{0, 0, 0, 0, 1, 1};
  Matrix asked(2, 2);
  asked << 3.2F, 0, 1.5F, 1.9F;
  const auto model = nearest_member_model();
  model->fit(rows, group, 2);
  const Matrix scores = model->score(asked);
  ASSERT_EQ(scores.cols(), 3);
  EXPECT_GT(scores(0, 0), scores(0, 1));
  EXPECT_GT(scores(1, 1), scores(1, 0));
}

}  // namespace
}  // namespace tyto
