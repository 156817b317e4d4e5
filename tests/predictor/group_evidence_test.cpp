// SPDX-License-Identifier: Apache-2.0
// Samples in a discovered group are called new sooner, at the same error.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"
#include "tyto/sample/store_access.hpp"

namespace tyto {
namespace {

constexpr double kGroupError = 0.05;

struct Clouds {
  Samples samples;
  std::vector<std::string> names;
};

// Rows about (6 c, 0, 0, ...) for the known classes c = 0, 1 and, closer together, about (3, off,
// 0,
// ...) for a new one, at the edge of the known ones.
Clouds make_clouds(Index known, Index fresh, std::uint64_t seed, std::uint32_t first_id,
                   double off = 3.0) {
  constexpr Index kWidth = 16;
  Rng rng(seed, "clouds", first_id);
  Matrix rows(2 * known + fresh, kWidth);
  Clouds out;
  Samples::Table table;
  for (Index i = 0; i < rows.rows(); ++i) {
    const bool is_new = i >= 2 * known;
    const double left = is_new ? 3.0 : (i < known ? 0.0 : 6.0);
    for (Index j = 0; j < kWidth; ++j) {
      const double centre = j == 0 ? left : (j == 1 && is_new ? off : 0.0);
      rows(i, j) = static_cast<float>(centre + (is_new ? 0.5 : 1.0) * rng.normal());
    }
    out.names.push_back(is_new ? "new" : (i < known ? "left" : "right"));
    table.id.push_back(static_cast<SampleId>(first_id + static_cast<std::uint32_t>(i)));
    table.row.push_back(i);
    table.group.push_back(0);
  }
  out.samples = Samples(std::make_shared<DenseStore>(std::move(rows)), std::move(table));
  return out;
}

Composition made(bool group_evidence, const std::string& memory = "unlimited") {
  return {
      read_predictor(
          parse_yaml("{name: g, classifier: ncm, detector: mahalanobis, recogniser: "
                     "{name: snn_graph, promote: [size], cluster: {metric: euclidean}}, "
                     "suspected: 0.3, folds: 5, accepted_error: 0.05, memory: " +
                         memory + ", group_evidence: " + (group_evidence ? "true" : "false") + "}",
                     "g.yaml"),
          "g"),
      7};
}

// Shares of the known and of the new samples that are called new.
struct Called {
  double known = 0, fresh = 0;
};

Called called_new(const Composition& predictor, const Clouds& clouds) {
  const Prediction out = predictor.predict(clouds.samples);
  Called share;
  double known = 0;
  double fresh = 0;
  for (std::size_t i = 0; i < out.label.size(); ++i) {
    const bool is_new = clouds.names[i] == "new";
    const bool called = out.space->kind(out.label[i]) != LabelKind::known;
    (is_new ? fresh : known) += 1;
    (is_new ? share.fresh : share.known) += called ? 1 : 0;
  }
  share.known /= std::max(1.0, known);
  share.fresh /= std::max(1.0, fresh);
  return share;
}

TEST(GroupEvidence, more_of_a_new_class_is_noticed_at_the_same_error) {
  constexpr int kWorlds = 10;
  Called without;
  Called with;
  Called seen;  // the samples that were grouped themselves
  for (int world = 0; world < kWorlds; ++world) {
    const auto seed = static_cast<std::uint64_t>(world);
    const Clouds known = make_clouds(200, 0, seed, 0);
    const Clouds batch = make_clouds(150, 150, seed, 10000);
    const Clouds later = make_clouds(300, 300, seed, 20000);
    for (const bool heeds : {false, true}) {
      Composition predictor = made(heeds);
      Progress silent;
      Work work{Rng(seed, "evidence"), silent};
      predictor.learn({known.samples, known.names, {}}, work);
      predictor.observe(batch.samples, work);
      const Called now = called_new(predictor, later);
      Called& sum = heeds ? with : without;
      sum.known += now.known / kWorlds;
      sum.fresh += now.fresh / kWorlds;
      if (heeds) {
        seen.known += called_new(predictor, batch).known / kWorlds;
      }
    }
  }
  EXPECT_GT(with.fresh, without.fresh + 0.3);
  EXPECT_LT(with.known, kGroupError + 0.015);
  EXPECT_LT(seen.known, kGroupError + 0.02);
}

TEST(GroupEvidence, without_groups_or_memory_the_answers_are_the_same) {
  const Clouds known = make_clouds(200, 0, 1, 0);
  const Clouds later = make_clouds(100, 100, 1, 20000);
  Progress silent;
  Work work{Rng(1, "evidence"), silent};
  Composition with = made(true);
  Composition without = made(false);
  with.learn({known.samples, known.names, {}}, work);
  without.learn({known.samples, known.names, {}}, work);
  EXPECT_EQ(with.predict(later.samples).p_value, without.predict(later.samples).p_value);
  Composition forgetful = made(true, "none");
  Composition plain = made(false, "none");
  const Clouds batch = make_clouds(150, 150, 1, 10000);
  for (Composition* one : {&forgetful, &plain}) {
    one->learn({known.samples, known.names, {}}, work);
    Work own{Rng(2, "evidence"), silent};
    one->observe(batch.samples, own);
  }
  EXPECT_EQ(forgetful.predict(later.samples).label, plain.predict(later.samples).label);
}

TEST(GroupEvidence, is_saved_and_ends_when_the_group_is_named) {
  const Clouds known = make_clouds(200, 0, 3, 0);
  const Clouds batch = make_clouds(150, 150, 3, 10000);
  const Clouds later = make_clouds(100, 100, 3, 20000);
  Progress silent;
  Work work{Rng(1, "evidence"), silent};
  Composition predictor = made(true);
  predictor.learn({known.samples, known.names, {}}, work);
  predictor.observe(batch.samples, work);
  State state;
  predictor.save(state);
  ASSERT_TRUE(state.children.contains("group_evidence"));
  EXPECT_GT(state.child("group_evidence").get<double>("bonus"), 0.0);
  Composition loaded = made(true);
  loaded.load(state, StoreShelf({StoreAccess::store(known.samples)}));
  const Prediction a = predictor.predict(later.samples);
  const Prediction b = loaded.predict(later.samples);
  EXPECT_EQ(a.novelty, b.novelty);
  EXPECT_EQ(a.p_value, b.p_value);
  EXPECT_EQ(a.label, b.label);

  predictor.learn({batch.samples, batch.names, {}}, work);  // everything has a name now
  State after;
  predictor.save(after);
  EXPECT_FALSE(after.children.contains("group_evidence"));
  EXPECT_LT(called_new(predictor, later).fresh, 0.15);
}

TEST(GroupEvidence, the_threshold_follows_known_samples_that_lie_in_groups) {
  PredictorConfig config;
  config.accepted_error = 0.1;
  config.holdout_groups = false;
  NoveltyThreshold threshold(config);
  HeldNovelty held;
  for (int i = 1; i <= 19; ++i) {
    held.ids.push_back(static_cast<std::uint32_t>(i));
    held.novelty.push_back(static_cast<float>(i));
    held.labels.push_back(static_cast<Label>(1));
    held.groups.push_back(0);
  }
  ASSERT_TRUE(threshold.set(held, {}, std::nullopt));
  EXPECT_EQ(threshold.get()->value, 18.0F);  // the 18th of 19: ceil(20 x 0.9)
  std::vector<std::size_t> all(19);
  std::iota(all.begin(), all.end(), 0);
  // At 0.3 it is the 14th; all are moved by 4, and so is the threshold.
  const auto moved = threshold.with_groups(all, std::vector<std::uint8_t>(19, 1), 0.3);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->bonus, 4.0F);
  EXPECT_EQ(moved->threshold.value, 22.0F);
  // None: it stays. One of those just below: the one that had the place is still the 18th.
  EXPECT_EQ(threshold.with_groups(all, std::vector<std::uint8_t>(19, 0), 0.3)->threshold.value,
            18.0F);
  std::vector<std::uint8_t> one(19, 0);
  one[16] = 1;  // 17 becomes 21
  EXPECT_EQ(threshold.with_groups(all, one, 0.3)->threshold.value, 19.0F);
  EXPECT_FALSE(threshold.with_groups(all, one, 0.1));  // no more is suspected than called new
  EXPECT_FALSE(threshold.with_groups({}, {}, 0.3));
}

}  // namespace
}  // namespace tyto
