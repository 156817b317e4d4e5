// SPDX-License-Identifier: Apache-2.0
// Remembered clips of few frames, in a store of the memory's own, beside new ones of many: what a
// composition shows its parts.
#include <algorithm>
#include <map>

#include "math/random_rows.hpp"
#include <gtest/gtest.h>

#include "tyto/predictor/composition/composition.hpp"
#include "tyto/predictor/composition/gathered.hpp"
#include "tyto/predictor/notes.hpp"

namespace tyto {
namespace {

// Sees what a network that trains on frames would see.
struct FrameWatcher final : StatelessPart, Classifier {
  std::map<SampleId, Matrix> seen;  // frames as the representation gives them
  std::vector<Index> counts;        // in the order of the experience
  Index fresh = 0;

  void learn(const Experience& experience, Work&) override {
    seen.clear();
    counts.clear();
    fresh = experience.fresh();
    std::vector<Index> rows = experience.labelled(Role::fit);
    std::reverse(rows.begin(), rows.end());  // a shuffled batch
    const Frames frames = experience.frame_features(rows);
    const Samples samples = experience.samples(rows);
    for (Index i = 0; i < samples.size(); ++i) {
      const Index begin = frames.first[at(i)];
      counts.push_back(frames.first[at(i + 1)] - begin);
      EXPECT_EQ(counts.back(), samples.frame_count(i));
      seen[samples.id(i)] = frames.features.middleRows(begin, counts.back());
    }
  }

  void classify(Evidence& evidence) const override {
    evidence.classes = {Label{1}, Label{2}};
    evidence.logits = evidence.features.leftCols(2);
  }
};

struct Doubled final : StatelessPart, Representation {
  [[nodiscard]] Matrix represent(const MatrixView& rows) const override { return 2.0F * rows; }
};

Samples clips(Index count, Index frames, std::uint32_t first_id) {
  Samples::Table table;
  table.first.push_back(0);
  for (Index i = 0; i < count; ++i) {
    table.id.push_back(static_cast<SampleId>(first_id + static_cast<std::uint32_t>(i)));
    table.first.push_back((i + 1) * frames);
    for (Index k = 0; k < frames; ++k) {
      table.row.push_back(i * frames + k);
    }
  }
  return Samples(std::make_shared<const DenseStore>(random_rows(count * frames, 3, 9 + first_id)),
                 std::move(table));
}

class FramesInMemory : public testing::Test {
 protected:
  Composition watched(const std::string& memory) {
    PredictorConfig config;
    config.name = "watched";
    config.holdout = 0.0;
    return Composition(config, 1, [this, memory] {
      Parts parts;
      parts.fill(Slot::representation, std::make_shared<Doubled>());
      parts.fill(Slot::classifier, watcher);
      parts.fill(
          Slot::memory,
          find_part(Slot::memory, "class_balanced").make(parse_yaml(memory, "test"), "memory"));
      return parts;
    });
  }

  std::shared_ptr<FrameWatcher> watcher = std::make_shared<FrameWatcher>();
  Progress silent;
  Work work{Rng(1), silent};
};

struct RememberedFrames : FramesInMemory, testing::WithParamInterface<const char*> {};

TEST_P(RememberedFrames, stand_beside_new_ones_with_their_own_counts) {
  Composition predictor =
      watched(fmt::format("{{budget: 8, unit: frames, frames: 2, choose: {}}}", GetParam()));
  const Samples first = clips(6, 5, 0);
  predictor.learn({first, {"a", "a", "a", "b", "b", "b"}, {}}, work);
  EXPECT_EQ(watcher->seen.size(), 6U);
  const Samples& memory = predictor.parts().memory->samples();
  ASSERT_EQ(memory.size(), 4);
  const Samples second = clips(3, 7, 50);
  std::map<SampleId, Matrix> expected;
  for (Index i = 0; i < 4; ++i) {
    const Index row = i;
    expected[memory.id(i)] = 2.0F * memory.pick(std::span(&row, 1)).frame_rows();
  }
  for (Index i = 0; i < 3; ++i) {
    const Index row = i;
    expected[second.id(i)] = 2.0F * second.pick(std::span(&row, 1)).frame_rows();
  }
  predictor.learn({second, {"a", "c", "c"}, {}}, work);
  EXPECT_EQ(watcher->fresh, 4);
  EXPECT_EQ(watcher->counts, (std::vector<Index>{7, 7, 7, 2, 2, 2, 2}));
  EXPECT_EQ(watcher->seen, expected);
}

INSTANTIATE_TEST_SUITE_P(Choices, RememberedFrames,
                         testing::Values("uniform", "k_centre", "typical", "foreground",
                                         "condensed"));

TEST_F(FramesInMemory, are_told_by_class_with_all_that_was_shown) {
  Composition predictor = watched("{budget: 8, unit: frames, frames: 2}");
  predictor.learn({clips(6, 5, 0), {"a", "a", "a", "b", "b", "b"}, {}}, work);
  predictor.learn({clips(3, 7, 50), {"a", "c", "c"}, {}}, work);
  Notes notes;
  predictor.tell(notes);
  EXPECT_EQ(notes.frames_shown, 30 + 21);
  ASSERT_EQ(notes.by_class.size(), 3U);
  Holding sum;
  for (const ClassHolding& one : notes.by_class) {
    EXPECT_EQ(one.held.frames, 2 * one.held.samples);
    EXPECT_EQ(one.held.bytes, 12 * one.held.frames);  // three floats
    sum.frames += one.held.frames;
    sum.bytes += one.held.bytes;
  }
  EXPECT_EQ(sum.frames, 8);
  EXPECT_EQ(sum.frames, notes.kept.frames);
  EXPECT_EQ(sum.bytes, notes.kept.bytes);
  EXPECT_EQ(notes.memory.budget, 8);
  EXPECT_EQ(notes.memory.frames_each, 2);
  ASSERT_TRUE(notes.memory.drift);
  EXPECT_GT(*notes.memory.drift, 0.0);

  State state;
  predictor.save(state);
  Composition again = watched("{budget: 8, unit: frames, frames: 2}");
  again.load(state, EmptyShelf());
  Notes told;
  again.tell(told);
  EXPECT_EQ(told.frames_shown, notes.frames_shown);
  EXPECT_EQ(told.memory.drift, notes.memory.drift);
}

TEST_F(FramesInMemory, of_a_budget_of_zero_are_none_and_learning_goes_on) {
  Composition predictor = watched("{budget: 0}");
  predictor.learn({clips(6, 5, 0), {"a", "a", "a", "b", "b", "b"}, {}}, work);
  predictor.learn({clips(3, 7, 50), {"a", "c", "c"}, {}}, work);
  EXPECT_EQ(predictor.remembered(), 0);
  EXPECT_EQ(watcher->counts, (std::vector<Index>{7, 7, 7}));
  EXPECT_EQ(predictor.predict(clips(2, 4, 90)).label.size(), 2U);
  Notes notes;
  predictor.tell(notes);
  EXPECT_EQ(notes.frames_shown, 51);
  EXPECT_TRUE(notes.by_class.empty());
}

TEST(Gathered, copies_nothing_where_all_rows_come_from_one_side) {
  const Samples old = clips(2, 2, 0);
  const Samples fresh = clips(3, 4, 10);
  const LabelSpace space;
  const Gathered all(old, {Label{1}, Label{1}}, {Role::fit, Role::fit}, fresh,
                     {Label{1}, Label{1}, Label{1}}, {Role::fit, Role::fit, Role::fit}, space);
  EXPECT_TRUE(Samples::share_store(all.samples(std::vector<Index>{1, 0}), old));
  EXPECT_EQ(all.samples(std::vector<Index>{1, 0}).lifetime(), Lifetime::lent);
  EXPECT_TRUE(Samples::share_store(all.samples(std::vector<Index>{4, 2}), fresh));
  const Samples mixed = all.samples(std::vector<Index>{4, 0, 2});
  EXPECT_FALSE(Samples::share_store(mixed, fresh));
  EXPECT_EQ(mixed.id(0), SampleId{12});
  EXPECT_EQ(mixed.id(1), SampleId{0});
  EXPECT_EQ(mixed.frame_count(0), 4);
  EXPECT_EQ(mixed.frame_count(1), 2);
}

}  // namespace
}  // namespace tyto
