// SPDX-License-Identifier: Apache-2.0
// Few clips with many frames, or many with few: what held-out ones decide.
#include "parts/toy_clips.hpp"
#include <gtest/gtest.h>

#include "tyto/parts/memory/frame_trial.hpp"

namespace tyto {
namespace {

// Two classes whose clips lie about -1 and 1 on every axis: each clip is off by `apart`, each frame
// of it by `noise`. The first `held` clips of a class are held out.
ToyClipLesson noisy_clips(Index clips, Index frames, double apart, double noise, Index held,
                          std::uint64_t seed) {
  constexpr Index kWidth = 16;
  Rng rng(seed, "clips");
  Samples::Table table;
  table.first.push_back(0);
  std::vector<int> labels;
  std::vector<Role> roles;
  Matrix rows(2 * clips * frames, kWidth);
  for (Index i = 0; i < 2 * clips; ++i) {
    table.id.push_back(static_cast<SampleId>(i));
    labels.push_back(static_cast<int>(i % 2) + 1);
    roles.push_back(i / 2 < held ? Role::hold : Role::fit);
    Eigen::RowVectorXd centre(kWidth);
    for (double& x : centre) {
      x = (i % 2 == 0 ? -1.0 : 1.0) + apart * rng.normal();
    }
    for (Index k = 0; k < frames; ++k) {
      for (Index j = 0; j < kWidth; ++j) {
        rows(std::ssize(table.row), j) = static_cast<float>(centre[j] + noise * rng.normal());
      }
      table.row.push_back(std::ssize(table.row));
    }
    table.first.push_back(std::ssize(table.row));
  }
  return {Samples(std::make_shared<const DenseStore>(rows), std::move(table)), labels, roles};
}

TEST(FramesAuto, takes_many_clips_with_few_frames_where_clips_differ) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    ToyWork work(seed);
    auto memory = make_part<Memory>(Slot::memory, "class_balanced",
                                    "{budget: 64, unit: frames, frames: auto}");
    teach_clips(*memory.slot, noisy_clips(120, 16, 5.0, 0.0, 60, seed), work);
    EXPECT_EQ(memory->terms().frames_each, 1) << seed;
    EXPECT_EQ(memory->samples().size(), 64);
  }
}

TEST(FramesAuto, takes_many_frames_where_clips_are_few_and_their_frames_differ) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    ToyWork work(seed);
    auto memory = make_part<Memory>(Slot::memory, "class_balanced",
                                    "{budget: 1000, unit: frames, frames: auto}");
    teach_clips(*memory.slot, noisy_clips(302, 16, 0.0, 8.0, 300, seed), work);
    const Index most = memory->terms().frames_each;
    EXPECT_TRUE(most == 0 || most >= 8) << most;
  }
}

TEST(FramesAuto, waits_for_held_out_samples_and_never_takes_more_later) {
  ToyWork work;
  auto memory =
      make_part<Memory>(Slot::memory, "class_balanced", "{budget: 64, unit: frames, frames: auto}");
  teach_clips(*memory.slot, noisy_clips(20, 16, 5.0, 0.0, 0, 1), work);
  EXPECT_EQ(memory->terms().frames_each, 0);  // nothing was held out
  EXPECT_EQ(memory->samples().frame_count(0), 16);
  memory =
      reloaded(memory, Slot::memory, "class_balanced", "{budget: 64, unit: frames, frames: auto}");
  ToyClipLesson more = noisy_clips(120, 16, 5.0, 0.0, 60, 2);
  Samples::Table table;  // under ids of their own
  const Matrix rows = more.samples.frame_rows();
  table.first.push_back(0);
  for (Index i = 0; i < more.samples.size(); ++i) {
    table.id.push_back(static_cast<SampleId>(1000 + i));
    table.first.push_back((i + 1) * 16);
  }
  table.row.resize(at(rows.rows()));
  std::iota(table.row.begin(), table.row.end(), Index{0});
  more.samples = Samples(std::make_shared<const DenseStore>(rows), std::move(table));
  teach_clips(*memory.slot, more, work);
  EXPECT_EQ(memory->terms().frames_each, 1);
  for (Index i = 0; i < memory->samples().size(); ++i) {  // also of those kept whole before
    EXPECT_EQ(memory->samples().frame_count(i), 1);
  }
}

// Two candidates, one of each class; a way that is `right` has their means at 0 and 10, else
// swapped.
struct TwoClasses {
  std::vector<Candidate> offered{{SampleId{0}, Label{1}, Role::fit, false, 0, 1, 4, 1},
                                 {SampleId{1}, Label{2}, Role::fit, false, 1, 1, 4, 1}};
  FrameTrial trial;

  TwoClasses(const std::vector<std::pair<bool, bool>>& right, Index of_one, Index of_two)
      : trial(2, right.size()) {
    const auto at_place = [](double value) { return Eigen::RowVectorXd::Constant(1, value); };
    for (std::size_t way = 0; way < right.size(); ++way) {
      // A class that is to be missed lies far off, so that the other one is nearer.
      trial.add(way, 0, at_place(right[way].first ? 0.0 : -100.0));
      trial.add(way, 1, at_place(right[way].second ? 10.0 : 200.0));
    }
    for (Index i = 0; i < of_one; ++i) {
      trial.add_held(Label{1}, at_place(1.0));
    }
    for (Index i = 0; i < of_two; ++i) {
      trial.add_held(Label{2}, at_place(9.0));
    }
    EXPECT_TRUE(trial.can_tell(offered));
    for (std::size_t way = 0; way < right.size(); ++way) {
      trial.score(way, offered, {0, 1});
    }
  }
};

TEST(FrameTrial, takes_the_middle_of_what_is_as_good_and_lets_stay_what_is) {
  const TwoClasses same({{true, true}, {true, true}, {true, true}}, 5, 5);
  EXPECT_EQ(same.trial.choice(false), 1U);
  EXPECT_EQ(same.trial.choice(true), 2U);
  // Nine of nine lost of one class: 1 against a standard error of sqrt(9) / 9.
  const TwoClasses worse({{true, true}, {true, true}, {true, false}}, 9, 9);
  EXPECT_EQ(worse.trial.choice(false), 0U);
  EXPECT_EQ(worse.trial.choice(true), 0U);
  // One of one lost: 1 against 1, which may be chance.
  const TwoClasses unsure({{true, true}, {true, false}}, 9, 1);
  EXPECT_EQ(unsure.trial.choice(true), 1U);
}

TEST(FrameTrial, weighs_classes_alike_however_many_are_held_out) {
  // Class 1 with sixteen against class 2 with four: one way has this, the other that.
  const TwoClasses even({{true, false}, {false, true}}, 16, 4);
  EXPECT_EQ(even.trial.choice(true), 1U);
}

TEST(FrameTrial, counts_a_class_that_is_lost_as_missed_and_needs_two_to_tell) {
  TwoClasses lost({{true, true}, {true, true}}, 9, 9);
  lost.trial.score(1, lost.offered, {0});  // keeps nothing of class 2
  EXPECT_EQ(lost.trial.choice(true), 0U);
  lost.offered[1].label = Label{1};
  EXPECT_FALSE(lost.trial.can_tell(lost.offered));
}

}  // namespace
}  // namespace tyto
