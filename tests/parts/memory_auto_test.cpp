// SPDX-License-Identifier: Apache-2.0
// Few clips with many frames, or many with few: what held-out ones decide.
#include "parts/toy_clips.hpp"
#include <gtest/gtest.h>

namespace tyto {
namespace {

// Two classes whose clips lie about -1 and 1 on every axis: each clip is off by `apart`, each frame
// of it by `noise`. The first `held` clips of a class are held out.
ClipLesson noisy_clips(Index clips, Index frames, double apart, double noise, Index held,
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
  ClipLesson more = noisy_clips(120, 16, 5.0, 0.0, 60, 2);
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

}  // namespace
}  // namespace tyto
