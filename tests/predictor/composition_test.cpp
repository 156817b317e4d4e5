// SPDX-License-Identifier: Apache-2.0
// How the composition drives its parts, seen by parts that write down what happens to them.
#include "tyto/predictor/composition/composition.hpp"

#include <numeric>

#include "support/blobs.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/archive.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Blobs;
using testing_support::make_blobs;

struct Diary {
  std::vector<std::string> lines;
  bool moved = false;         // what adapt answers
  std::string fail_at;        // the call that throws
  std::vector<Role> roles;    // seen by the classifier
  bool started_over = false;  // likewise
  Index fresh = -1;
  Index settled = -1;  // samples that the classifier was settled on

  void note(const std::string& line) {
    lines.push_back(line);
    if (line == fail_at) {
      throw Error(ErrorKind::numeric, "spy: " + line);
    }
  }
};

// Fills every slot but memory; each call is one line in the diary.
struct Spy final : Part,
                   Representation,
                   Classifier,
                   Calibrator,
                   Detector,
                   Recogniser,
                   Alarm,
                   Requester {
  std::shared_ptr<Diary> diary;
  mutable Label group = Label::unknown;

  explicit Spy(std::shared_ptr<Diary> to) : diary(std::move(to)) {}

  bool adapt(const Experience& experience, Work&) override {
    diary->note("adapt");
    EXPECT_EQ(experience.features(std::vector<Index>{0}).cols(), 6);  // raw rows
    return diary->moved;
  }

  [[nodiscard]] Matrix represent(const MatrixView& rows) const override { return rows.leftCols(4); }

  void learn(const Experience& experience, Work&) override {
    diary->roles.assign(experience.roles().begin(), experience.roles().end());
    diary->started_over = experience.starts_over();
    diary->fresh = experience.fresh();
    EXPECT_EQ(experience.features(std::vector<Index>{0}).cols(), 4);
    diary->note("learn");
  }

  void settle(const Experience& remembered, Work&) override {
    diary->note("settle");
    EXPECT_EQ(remembered.fresh(), remembered.size());
    diary->settled = remembered.size();
    remembered.each_block(Role::fit, 0, [](const Evidence& block, std::span<const Label> labels) {
      EXPECT_EQ(block.features.cols(), 4);  // represented
      EXPECT_EQ(block.logits.rows(), std::ssize(labels));
    });
  }

  void classify(Evidence& evidence) const override {
    evidence.classes = {Label{1}, Label{2}};
    evidence.logits = evidence.features.leftCols(2);
  }

  void tune(const Experience& experience, Work&) override {
    diary->note("tune");
    experience.each_block(Role::hold, 0, [](const Evidence& block, std::span<const Label> labels) {
      EXPECT_EQ(block.logits.rows(), static_cast<Index>(labels.size()));
    });
  }

  void calibrate(Evidence& evidence) const override {
    evidence.probability = Matrix::Constant(evidence.size(), 2, 0.5F);
  }

  void profile(const Experience&, Work&) override { diary->note("profile"); }

  void detect(Evidence& evidence) const override {
    EXPECT_EQ(evidence.probability.rows(), evidence.size());
    evidence.novelty.assign(static_cast<std::size_t>(evidence.size()), 0.0F);
    for (Index i = 0; i < evidence.size(); ++i) {
      evidence.novelty[static_cast<std::size_t>(i)] = evidence.features(i, 0);
    }
  }

  void discover(const Evidence& batch, const Experience&, LabelSpace& space, Work&) override {
    group = space.add_discovered();
    EXPECT_EQ(batch.novelty.size(), static_cast<std::size_t>(batch.size()));
    diary->note("discover");
  }

  void revise(const Experience&, LabelSpace& space, Work&) override {
    if (group != Label::unknown && space.kind(group) == LabelKind::discovered) {
      space.retire(group, Label{1}, "its samples were named");
    }
    diary->note("revise");
  }

  void recognise(Evidence& evidence) const override {
    evidence.groups = {Label::unknown};
    evidence.membership = Matrix::Zero(evidence.size(), 1);
  }

  std::vector<float> watch(const Evidence& batch) override {
    diary->note("watch");
    return std::vector<float>(static_cast<std::size_t>(batch.size()), 0.25F);
  }

  [[nodiscard]] Change change() const override { return {}; }

  std::vector<Index> order(const Evidence& batch, Index budget, Work&) const override {
    EXPECT_EQ(batch.novelty.size(), static_cast<std::size_t>(batch.size()));
    std::vector<Index> rows(static_cast<std::size_t>(budget));
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }

  void save(State& state) const override {
    state.set("group", static_cast<std::int64_t>(group));
    diary->lines.emplace_back("save");
  }

  void load(const State& state, const Shelf&) override {
    group = static_cast<Label>(state.get<std::int64_t>("group"));
  }
};

struct CompositionTest : testing::Test {
  std::shared_ptr<Diary> diary = std::make_shared<Diary>();
  Blobs first = make_blobs(0, 2, 50, 1, 0);
  Blobs second = make_blobs(1, 3, 30, 2, 500);
  Progress silent;
  Work work{Rng(1), silent};

  Composition make(PredictorConfig config = {}) {
    config.name = "spy";
    return Composition(config, 5, [this] {
      Parts parts;
      const auto spy = std::make_shared<Spy>(diary);
      for (const Slot slot : kSlots) {
        if (slot != Slot::memory) {
          parts.fill(slot, spy);
        }
      }
      parts.fill(Slot::memory,
                 find_part(Slot::memory, "unlimited").make(ConfigNode::empty_map(), "memory"));
      return parts;
    });
  }
};

TEST_F(CompositionTest, calls_the_slots_in_their_order) {
  Composition predictor = make();
  predictor.learn({first.samples, first.names, {}}, work);
  EXPECT_THAT(diary->lines, ElementsAre("adapt", "learn", "settle", "tune", "profile", "revise"));
  EXPECT_EQ(diary->settled, 100);
  EXPECT_TRUE(diary->started_over);
  EXPECT_EQ(diary->fresh, 0);
  diary->lines.clear();
  const auto changed = predictor.observe(second.samples, work);
  EXPECT_THAT(diary->lines, ElementsAre("save", "watch", "discover"));  // one save: one object
  EXPECT_EQ(changed, std::vector<float>(60, 0.25F));
  EXPECT_TRUE(predictor.labels().find("discovered_0").has_value());
  diary->lines.clear();
  predictor.learn({second.samples, second.names, {}}, work);
  EXPECT_THAT(diary->lines,
              ElementsAre("save", "adapt", "learn", "settle", "tune", "profile", "revise"));
  EXPECT_FALSE(diary->started_over);
  EXPECT_EQ(diary->settled, 160) << "all that is remembered by now";
  EXPECT_EQ(diary->fresh, 100);
  EXPECT_EQ(predictor.labels().kind(*predictor.labels().find("discovered_0")), LabelKind::retired);
  EXPECT_EQ(predictor.request(first.samples, 7, work).size(), 7U);
}

TEST_F(CompositionTest, parts_start_over_when_the_features_have_moved) {
  Composition predictor = make();
  predictor.learn({first.samples, first.names, {}}, work);
  diary->moved = true;
  predictor.learn({second.samples, second.names, {}}, work);
  EXPECT_TRUE(diary->started_over);
  EXPECT_EQ(diary->fresh, 0);
  EXPECT_EQ(diary->roles.size(), 160U) << "the remembered ones are shown again";
}

TEST_F(CompositionTest, a_failure_in_any_slot_undoes_the_lesson) {
  for (const char* call : {"adapt", "learn", "settle", "tune", "profile", "revise"}) {
    Composition predictor = make();
    predictor.learn({first.samples, first.names, {}}, work);
    State before;
    predictor.save(before);
    diary->fail_at = call;
    EXPECT_THROW(predictor.learn({second.samples, second.names, {}}, work), Error) << call;
    diary->fail_at.clear();
    State after;
    predictor.save(after);
    EXPECT_EQ(to_archive(after), to_archive(before)) << call;
  }
  for (const char* call : {"watch", "discover"}) {
    Composition predictor = make();
    predictor.learn({first.samples, first.names, {}}, work);
    diary->fail_at = call;
    EXPECT_THROW(predictor.observe(second.samples, work), Error) << call;
    diary->fail_at.clear();
    EXPECT_FALSE(predictor.labels().find("discovered_0").has_value());
  }
}

// Everything that observing leaves alone is the work of one part, whose diary tells of every save.
struct WatchedComposition : CompositionTest {
  std::shared_ptr<Diary> watchers = std::make_shared<Diary>();
  std::shared_ptr<Diary> kept = std::make_shared<Diary>();

  struct SpyMemory final : Part, Memory {
    std::shared_ptr<Diary> diary;
    Samples held;
    std::vector<Label> names;
    std::vector<Role> parts;

    explicit SpyMemory(std::shared_ptr<Diary> to) : diary(std::move(to)) {}

    void keep(const Experience& all, Work&) override {
      std::vector<Index> rows(static_cast<std::size_t>(all.size()));
      std::iota(rows.begin(), rows.end(), Index{0});
      held = all.samples(rows);
      names.assign(all.labels().begin(), all.labels().end());
      parts.assign(all.roles().begin(), all.roles().end());
    }

    [[nodiscard]] const Samples& samples() const override { return held; }

    [[nodiscard]] const std::vector<Label>& labels() const override { return names; }

    [[nodiscard]] const std::vector<Role>& roles() const override { return parts; }

    void save(State&) const override { diary->lines.emplace_back("save"); }

    void load(const State&, const Shelf&) override { diary->lines.emplace_back("load"); }
  };

  Composition make_watched() {
    PredictorConfig config;
    config.name = "spy";
    return Composition(config, 5, [this] {
      Parts parts;
      const auto worker = std::make_shared<Spy>(diary);
      const auto watcher = std::make_shared<Spy>(watchers);
      for (const Slot slot : kSlots) {
        if (slot == Slot::memory) {
          parts.fill(slot, std::make_shared<SpyMemory>(kept));
        } else {
          parts.fill(slot, slot == Slot::recogniser || slot == Slot::alarm ? watcher : worker);
        }
      }
      return parts;
    });
  }
};

TEST_F(WatchedComposition, observing_copies_nothing_but_what_it_changes) {
  Composition predictor = make_watched();
  predictor.learn({first.samples, first.names, {}}, work);
  diary->lines.clear();
  kept->lines.clear();
  watchers->lines.clear();
  predictor.observe(second.samples, work);
  EXPECT_THAT(diary->lines, testing::IsEmpty());
  EXPECT_THAT(kept->lines, testing::IsEmpty());
  EXPECT_THAT(watchers->lines, ElementsAre("save", "watch", "discover"));
}

TEST_F(WatchedComposition, an_observation_that_fails_leaves_everything_as_it_was) {
  for (const char* call : {"watch", "discover"}) {
    Composition predictor = make_watched();
    predictor.learn({first.samples, first.names, {}}, work);
    predictor.observe(second.samples, work);  // a first group, which is to stay
    State before;
    predictor.save(before);
    kept->lines.clear();
    watchers->fail_at = call;
    EXPECT_THROW(predictor.observe(second.samples, work), Error) << call;
    watchers->fail_at.clear();
    EXPECT_THAT(kept->lines, testing::IsEmpty()) << call;  // neither saved nor loaded
    EXPECT_EQ(predictor.remembered(), 100) << call;
    State after;
    predictor.save(after);
    EXPECT_EQ(to_archive(after), to_archive(before)) << call;
    EXPECT_TRUE(predictor.labels().find("discovered_0").has_value()) << call;
    EXPECT_FALSE(predictor.labels().find("discovered_1").has_value()) << call;
    predictor.observe(second.samples, work);  // and goes on
    EXPECT_TRUE(predictor.labels().find("discovered_1").has_value()) << call;
  }
}

TEST_F(CompositionTest, says_what_it_cannot_promise) {
  PredictorConfig config;
  config.accepted_error = 0.001;
  Composition predictor = make(config);
  EXPECT_THAT(predictor.cautions(), testing::IsEmpty());
  predictor.learn({first.samples, first.names, {}}, work);
  EXPECT_THAT(predictor.cautions(),
              ElementsAre(HasSubstr("an accepted error of 0.1 % cannot be promised")));
  config.accepted_error = 0.5;
  Composition modest = make(config);
  modest.learn({first.samples, first.names, {}}, work);
  EXPECT_THAT(modest.cautions(), testing::IsEmpty());
}

TEST_F(CompositionTest, a_sample_keeps_its_role_for_ever) {
  Composition predictor = make();
  predictor.learn({first.samples, first.names, {}}, work);
  const std::vector<Role> roles = diary->roles;
  for (Index i = 0; i < first.samples.size(); ++i) {
    EXPECT_EQ(roles[static_cast<std::size_t>(i)], role_of(first.samples.id(i), 5, 0.1));
  }
  // Taught again, in another order, with others: the same roles.
  const auto order = Rng(4).permutation(first.samples.size());
  std::vector<std::string> names;
  for (const Index i : order) {
    names.push_back(first.names[static_cast<std::size_t>(i)]);
  }
  predictor.learn({first.samples.pick(order), names, {}}, work);
  ASSERT_EQ(diary->roles.size(), 100U) << "a sample that comes again replaces the remembered one";
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(diary->roles[i], roles[static_cast<std::size_t>(order[i])]);
  }
}

TEST_F(CompositionTest, a_class_whose_every_sample_would_be_held_out_gets_one_to_fit) {
  PredictorConfig config;
  config.holdout = 0.9;
  Composition predictor = make(config);
  // Ten classes of one sample each: about nine would have nothing to fit on.
  std::vector<std::string> names;
  for (Index i = 0; i < 10; ++i) {
    names.push_back("only " + std::to_string(i));
  }
  Lesson lesson{first.samples.slice(0, 10), names, {}};
  lesson.samples = Samples::joined(lesson.samples, first.samples.slice(10, 40));
  lesson.names.resize(50, "many");
  predictor.learn(lesson, work);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(diary->roles[i], Role::fit) << i;
  }
  predictor.learn(lesson, work);  // and stays fitted
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(diary->roles[i], Role::fit) << i;
  }
}

TEST_F(CompositionTest, holds_out_whole_groups_where_there_are_enough) {
  for (const std::uint32_t groups : {40U, 3U}) {
    Composition predictor = make();
    Samples::Table table;
    for (Index i = 0; i < 100; ++i) {
      table.id.push_back(first.samples.id(i));
      table.row.push_back(i);
      table.group.push_back(1 + static_cast<std::uint32_t>(i) % groups);
    }
    const Samples grouped(first.store, table);
    predictor.learn({grouped, first.names, {}}, work);
    std::map<std::uint32_t, std::set<Role>> roles;
    for (Index i = 0; i < 100; ++i) {
      const auto at = static_cast<std::size_t>(i);
      roles[grouped.group(i)].insert(diary->roles[at]);
      EXPECT_EQ(diary->roles[at], groups == 40U ? role_of_group(grouped.group(i), 5, 0.1)
                                                : role_of(grouped.id(i), 5, 0.1));
    }
    const bool whole = std::all_of(roles.begin(), roles.end(),
                                   [](const auto& group) { return group.second.size() == 1; });
    EXPECT_EQ(whole, groups == 40U);
  }
}

TEST_F(CompositionTest, given_roles_are_kept) {
  Composition predictor = make();
  std::vector<Role> roles(first.names.size(), Role::fit);
  roles[3] = roles[77] = Role::hold;
  predictor.learn({first.samples, first.names, roles}, work);
  EXPECT_EQ(diary->roles, roles);
}

TEST_F(CompositionTest, without_held_out_samples_no_threshold_can_be_set) {
  Composition predictor = make();
  const std::vector<Role> all_fit(first.names.size(), Role::fit);
  try {
    predictor.learn({first.samples, first.names, all_fit}, work);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("held out"));
  }
  EXPECT_FALSE(predictor.is_fitted());
}

TEST_F(CompositionTest, a_frozen_threshold_stays_and_a_refreshed_one_follows) {
  for (const bool frozen : {true, false}) {
    PredictorConfig config;
    config.threshold_frozen = frozen;
    config.accepted_error = 0.1;
    Composition predictor = make(config);
    predictor.learn({first.samples, first.names, {}}, work);
    State before;
    predictor.save(before);
    predictor.learn({second.samples, second.names, {}}, work);
    State after;
    predictor.save(after);
    EXPECT_EQ(before.child("threshold").get<double>("value") ==
                  after.child("threshold").get<double>("value"),
              frozen);
  }
}

TEST_F(CompositionTest, a_told_false_alarm_rate_moves_the_threshold_towards_the_accepted_error) {
  const auto threshold = [](const Composition& predictor) {
    State state;
    predictor.save(state);
    return state.child("threshold").get<double>("value");
  };
  PredictorConfig config;
  config.holdout = 0.5;
  config.accepted_error = 0.2;
  Composition predictor = make(config);
  predictor.learn({first.samples, first.names, {}}, work);
  const double before = threshold(predictor);
  predictor.hear({{"accuracy", 0.1}});
  EXPECT_EQ(threshold(predictor), before);
  predictor.hear({{"false_alarm_rate", 0.5}});  // too many: aim 0.2 + 0.5 (0.2 - 0.5) = 0.05
  const double raised = threshold(predictor);
  EXPECT_GT(raised, before);
  predictor.hear({{"false_alarm_rate", 0.0}});  // none: aim 0.05 + 0.5 x 0.2 = 0.15
  EXPECT_LE(threshold(predictor), raised);
  State state;
  predictor.save(state);
  EXPECT_NEAR(state.get<double>("aim"), 0.15, 1e-12);
  config.threshold_frozen = true;
  Composition frozen = make(config);
  frozen.learn({first.samples, first.names, {}}, work);
  frozen.hear({{"false_alarm_rate", 0.5}});
  EXPECT_EQ(threshold(frozen), before);
}

TEST(ReadPredictor, writes_what_reads_back_to_the_same) {
  const auto config = read_predictor(
      parse_yaml("{preset: slda, name: mine, detector: {name: knn, k: 3}, memory: unlimited, "
                 "fusion: flag, accepted_error: 0.02}",
                 "x.yaml"),
      "p");
  EXPECT_EQ(config.name, "mine");
  EXPECT_EQ(config.find(Slot::detector)->name, "knn");
  EXPECT_EQ(config.find(Slot::classifier)->name, "slda");
  EXPECT_EQ(config.fusion, Fusion::flag);
  const std::string yaml = to_yaml(write_predictor(config));
  EXPECT_EQ(to_yaml(write_predictor(read_predictor(parse_yaml(yaml, "again"), "p"))), yaml);
}

TEST(ReadPredictor, an_override_without_a_name_keeps_the_presets_part) {
  const auto config = read_predictor(
      parse_yaml("{preset: ann, classifier: {epochs: 7}, detector: none}", "x"), "p");
  EXPECT_EQ(config.find(Slot::classifier)->name, "mlp");
  EXPECT_EQ(config.find(Slot::classifier)->options.find("epochs")->text, "7");
  EXPECT_EQ(config.find(Slot::detector), nullptr);
}

TEST(ReadPredictor, refuses_what_makes_no_sense) {
  for (const char* yaml : {"{}", "{name: x}", "{name: x, classifier: {epochs: 3}}",
                           "{name: x, classifier: {name: ncm, also: [detector]}}",
                           "{name: x, classifier: {name: ncm, also: [detektor]}}",
                           "{name: x, classifier: ncm, holdout: 2}", "nonesuch"}) {
    EXPECT_THROW(read_predictor(parse_yaml(yaml, "x"), "p"), Error) << yaml;
  }
}

}  // namespace
}  // namespace tyto
