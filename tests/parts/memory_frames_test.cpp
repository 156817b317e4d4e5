// SPDX-License-Identifier: Apache-2.0
// Memories that keep some frames of some samples: never more than the budget, and honest to the
// frame.
#include <cmath>
#include <map>
#include <set>

#include "parts/toy_clips.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::HasSubstr;

using Clip = Matrix;  // a row per frame

std::map<std::uint32_t, Clip> clips_in(const Samples& samples) {
  std::map<std::uint32_t, Clip> clips;
  const Matrix rows = samples.frame_rows();
  Index row = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    const Index count = samples.frame_count(i);
    clips[static_cast<std::uint32_t>(samples.id(i))] = rows.middleRows(row, count);
    row += count;
  }
  return clips;
}

std::map<int, int> kept_per_class(const Memory& memory) {
  std::map<int, int> counts;
  for (const Label label : memory.labels()) {
    ++counts[static_cast<int>(label)];
  }
  return counts;
}

Index used_of(const Made<Memory>& memory, const std::string& unit) {
  const Holding held = memory.part->holding();
  return unit == "samples" ? held.samples : unit == "frames" ? held.frames : held.bytes;
}

TEST(KeptFrames, never_exceed_the_budget_and_never_change_once_kept) {
  Rng rng(3, "settings");
  const auto one_of = [&](auto words) { return words[rng.below(std::ssize(words))]; };
  for (std::uint64_t round = 0; round < 150; ++round) {
    const std::string name =
        one_of(std::vector<std::string>{"class_balanced", "herding", "reservoir"});
    const std::string unit = one_of(std::vector<std::string>{"samples", "frames", "bytes"});
    const std::string choose = one_of(
        std::vector<std::string>{"uniform", "k_centre", "typical", "foreground", "condensed"});
    const std::string frames =
        one_of(std::vector<std::string>{"0", "1", "3", "8", name == "reservoir" ? "2" : "auto"});
    const bool first_half = rng.below(3) == 0;
    const Index budget = rng.below(unit == "samples" ? 15 : unit == "frames" ? 60 : 1000);
    std::string yaml = fmt::format("budget: {}, unit: {}, frames: {}, choose: {}, first_share: {}",
                                   budget, unit, frames, choose, first_half ? 0.5 : 1.0);
    const bool per_class = name != "reservoir" && rng.below(3) == 0;
    if (name != "reservoir") {
      yaml += fmt::format(", per: {}, quota: {}", per_class ? "class" : "all",
                          rng.below(2) == 0 ? "floor" : "redistribute");
    }
    SCOPED_TRACE(name + " " + yaml);
    auto memory = make_part<Memory>(Slot::memory, name, "{" + yaml + "}");
    ToyWork work(round);
    std::map<std::uint32_t, Clip> shown;
    std::map<std::uint32_t, Clip> before;
    for (const ToyClipLesson& lesson : random_lessons(round)) {
      teach_clips(*memory.slot, lesson, work);
      shown.merge(clips_in(lesson.samples));
      if (per_class) {
        std::map<Label, Index> used;
        for (Index i = 0; i < memory->samples().size(); ++i) {
          const Index count = memory->samples().frame_count(i);
          used[memory->labels()[at(i)]] += unit == "samples"  ? 1
                                           : unit == "frames" ? count
                                                              : count * 16;
        }
        for (const auto& [label, sum] : used) {
          EXPECT_LE(sum, budget);
        }
      } else {
        EXPECT_LE(used_of(memory, unit), budget);
      }
      const Index most = memory->terms().frames_each;
      for (const auto& [id, clip] : clips_in(memory->samples())) {
        const Index whole = shown.at(id).rows();
        const Index first = first_half ? (whole + 1) / 2 : whole;
        if (frames != "auto") {
          EXPECT_EQ(clip.rows(), most == 0 ? first : std::min(most, first));
        } else {
          EXPECT_LE(clip.rows(), most == 0 ? first : std::min(most, first));
        }
        EXPECT_LE(clip.col(1).maxCoeff(), static_cast<float>(first - 1));
        EXPECT_TRUE((clip.col(0).array() == static_cast<float>(id)).all());
        for (Index k = 1; k < clip.rows(); ++k) {
          EXPECT_LT(clip(k - 1, 1), clip(k, 1));  // in time order
        }
        if (choose != "condensed") {
          for (Index k = 0; k < clip.rows(); ++k) {
            EXPECT_EQ(clip.row(k), shown.at(id).row(static_cast<Index>(clip(k, 1))));
          }
        }
        if (before.contains(id) && frames != "auto") {
          EXPECT_EQ(clip, before.at(id));
        }
      }
      before = clips_in(memory->samples());
    }
  }
}

TEST(KeptFrames, are_the_same_after_a_break_as_without_one) {
  for (const std::string name : {"class_balanced", "herding", "reservoir"}) {
    for (const std::string choose : {"uniform", "k_centre", "typical", "foreground", "condensed"}) {
      const std::string yaml =
          fmt::format("{{budget: 30, unit: frames, frames: {}, choose: {}}}",
                      name == "reservoir" || choose == "typical" ? "3" : "auto", choose);
      auto through = make_part<Memory>(Slot::memory, name, yaml);
      auto broken = make_part<Memory>(Slot::memory, name, yaml);
      std::uint64_t step = 0;
      for (const ToyClipLesson& lesson : random_lessons(11)) {
        ToyWork one(step);
        ToyWork other(step++);
        teach_clips(*through.slot, lesson, one);
        teach_clips(*broken.slot, lesson, other);
        broken = reloaded(broken, Slot::memory, name, yaml);
        EXPECT_EQ(clips_in(broken->samples()), clips_in(through->samples())) << name << choose;
        EXPECT_EQ(broken->labels(), through->labels());
        EXPECT_EQ(broken->roles(), through->roles());
        EXPECT_EQ(broken->terms().frames_each, through->terms().frames_each);
        EXPECT_EQ(broken->terms().drift, through->terms().drift);
      }
      EXPECT_GT(through->samples().size(), 0);
    }
  }
}

TEST(KeptFrames, of_a_clip_with_fewer_frames_are_all_of_them) {
  ToyWork work;
  for (const std::string choose : {"uniform", "k_centre", "typical", "foreground", "condensed"}) {
    auto memory = make_part<Memory>(Slot::memory, "class_balanced",
                                    fmt::format("{{frames: 4, choose: {}}}", choose));
    const ToyClipLesson lesson(clips_of({2, 4, 5, 1}, 0), {1, 1, 2, 2});
    teach_clips(*memory.slot, lesson, work);
    const auto kept = clips_in(memory->samples());
    const auto all = clips_in(lesson.samples);
    for (const std::uint32_t id : {0U, 1U, 3U}) {
      EXPECT_EQ(kept.at(id), all.at(id)) << choose;
    }
    EXPECT_EQ(kept.at(2).rows(), 4);
  }
}

TEST(KeptFrames, of_held_out_clips_are_uniform_and_count_too) {
  ToyWork work;
  for (const std::string choose : {"typical", "foreground", "condensed"}) {
    auto memory = make_part<Memory>(
        Slot::memory, "herding",
        fmt::format("{{budget: 12, unit: frames, frames: 2, choose: {}}}", choose));
    const ToyClipLesson lesson(
        clips_of({9, 9, 9, 9, 9, 9}, 0), {1, 1, 1, 2, 2, 2},
        {Role::fit, Role::hold, Role::fit, Role::fit, Role::hold, Role::fit});
    teach_clips(*memory.slot, lesson, work);
    EXPECT_EQ(memory.part->holding().frames, 12);
    const auto all = clips_in(lesson.samples);
    const auto kept = clips_in(memory->samples());
    int held = 0;
    for (Index i = 0; i < memory->samples().size(); ++i) {
      if (memory->roles()[at(i)] == Role::hold) {
        const auto id = static_cast<std::uint32_t>(memory->samples().id(i));
        EXPECT_EQ(kept.at(id).row(0), all.at(id).row(2)) << choose;  // floor(9 / 4)
        EXPECT_EQ(kept.at(id).row(1), all.at(id).row(6)) << choose;  // floor(27 / 4)
        ++held;
      }
    }
    EXPECT_GT(held, 0);
  }
}

TEST(KeptFrames, condensed_to_one_row_lie_between_those_they_stand_for) {
  ToyWork work;
  auto memory = make_part<Memory>(Slot::memory, "class_balanced",
                                  "{budget: 2, frames: 1, choose: condensed}");
  const ToyClipLesson lesson(clips_of({6, 6}, 0), {1, 2});
  teach_clips(*memory.slot, lesson, work);
  const auto all = clips_in(lesson.samples);
  for (const auto& [id, clip] : clips_in(memory->samples())) {
    ASSERT_EQ(clip.rows(), 1);
    EXPECT_NEAR(clip(0, 0), static_cast<float>(id), 1e-6);
    for (Index c = 1; c < 4; ++c) {
      EXPECT_GT(clip(0, c), all.at(id).col(c).minCoeff());
      EXPECT_LT(clip(0, c), all.at(id).col(c).maxCoeff());
    }
    // One clip is the class: frames near its middle weigh more than those at its ends.
    EXPECT_NEAR(clip(0, 1), 2.5F, 0.5F);
  }
}

TEST(KeptFrames, weigh_by_a_class_mean_that_counts_every_frame_once) {
  // 0, 0, then 6, 12: the mean of the class is 4.5 then, squares of the distances 2.25 and 56.25,
  // their mean 29.25, and weights 1 and exp(-54 / 29.25).
  const auto clip = [](std::uint32_t id, float a, float b) {
    Matrix rows(2, 1);
    rows << a, b;
    return Samples(std::make_shared<const DenseStore>(rows),
                   {{SampleId{id}}, {0, 1}, {0, 2}, {}, {}});
  };
  ToyWork work;
  auto memory = make_part<Memory>(Slot::memory, "class_balanced", "{frames: 1, choose: condensed}");
  teach_clips(*memory.slot, ToyClipLesson(clip(1, 0, 0), {1}), work);
  teach_clips(*memory.slot, ToyClipLesson(clip(2, 6, 12), {1}), work);
  const double far = std::exp(-54.0 / 29.25);
  EXPECT_NEAR(clips_in(memory->samples()).at(2)(0, 0), (6 + 12 * far) / (1 + far), 1e-5);
}

TEST(KeptFrames, drift_is_the_share_by_which_the_mean_moved) {
  // Frames at 1, 2, 6 have the mean 3; of one uniform frame, the second, 2: a third of 3 away.
  Matrix rows(3, 1);
  rows << 1, 2, 6;
  const Samples one(std::make_shared<const DenseStore>(rows),
                    {{SampleId{1}}, {0, 1, 2}, {0, 3}, {}, {}});
  ToyWork work;
  auto memory = make_part<Memory>(Slot::memory, "class_balanced", "{frames: 1}");
  teach_clips(*memory.slot, ToyClipLesson(one, {1}), work);
  ASSERT_TRUE(memory->terms().drift);
  EXPECT_NEAR(*memory->terms().drift, 1.0 / 3.0, 1e-12);
  auto whole = make_part<Memory>(Slot::memory, "class_balanced", "{frames: 3}");
  teach_clips(*whole.slot, ToyClipLesson(one, {1}), work);
  EXPECT_EQ(*whole->terms().drift, 0.0);
  auto all = make_part<Memory>(Slot::memory, "class_balanced");
  teach_clips(*all.slot, ToyClipLesson(one, {1}), work);
  EXPECT_FALSE(all->terms().drift);  // nothing is ever thinned
}

TEST(KeptFrames, budgets_in_bytes_count_what_is_left_of_a_clip) {
  // A frame of four floats has 16 bytes; two of each clip 32: of 100 bytes three clips.
  ToyWork work;
  for (const std::string name : {"class_balanced", "herding", "reservoir"}) {
    auto memory = make_part<Memory>(Slot::memory, name, "{budget: 100, unit: bytes, frames: 2}");
    teach_clips(*memory.slot, ToyClipLesson(clips_of({10, 10, 10, 10, 10}, 0), {1, 1, 1, 1, 1}),
                work);
    EXPECT_EQ(memory->samples().size(), 3) << name;
    EXPECT_EQ(memory.part->holding().bytes, 96) << name;
    EXPECT_EQ(*memory->terms().budget, 100);
    EXPECT_EQ(memory->terms().unit, "bytes");
  }
}

TEST(Quota, redistributed_or_floored) {
  // Budget 8 over classes of 5, 5 and 1: shares of 2. What class 3 and the rounding leave, 3, goes
  // to classes 1, 2 and 1 again; floored it stays unused.
  ToyWork work;
  const ToyClipLesson lesson(clips_of(std::vector<Index>(11, 3), 0),
                             {1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3});
  for (const std::string name : {"class_balanced", "herding"}) {
    auto sound = make_part<Memory>(Slot::memory, name, "{budget: 8}");
    teach_clips(*sound.slot, lesson, work);
    EXPECT_EQ(kept_per_class(*sound.slot), (std::map<int, int>{{1, 4}, {2, 3}, {3, 1}}));
    auto floored = make_part<Memory>(Slot::memory, name, "{budget: 8, quota: floor}");
    teach_clips(*floored.slot, lesson, work);
    EXPECT_EQ(kept_per_class(*floored.slot), (std::map<int, int>{{1, 2}, {2, 2}, {3, 1}}));
  }
}

TEST(Quota, above_the_class_size_keeps_what_there_is) {
  ToyWork work;
  for (const std::string quota : {"redistribute", "floor"}) {
    auto memory = make_part<Memory>(Slot::memory, "herding",
                                    fmt::format("{{budget: 2020, quota: {}, frames: 2}}", quota));
    teach_clips(*memory.slot, ToyClipLesson(clips_of({4, 4, 4}, 0), {1, 1, 2}), work);
    EXPECT_EQ(memory->samples().size(), 3);
    EXPECT_EQ(memory.part->holding().frames, 6);
  }
}

TEST(Quota, floor_follows_vclimb_over_unequal_tasks) {
  // 12 clips of budget; tasks of 1, 2 and 2 classes: 12, 4 and 2 of each class. Old classes are cut
  // to the first they took.
  ToyWork work;
  auto memory = make_part<Memory>(Slot::memory, "herding", "{budget: 12, quota: floor}");
  teach_clips(*memory.slot,
              ToyClipLesson(clips_of(std::vector<Index>(20, 2), 0), std::vector<int>(20, 1)), work);
  EXPECT_EQ(kept_per_class(*memory.slot), (std::map<int, int>{{1, 12}}));
  auto four = make_part<Memory>(Slot::memory, "herding", "{budget: 4, quota: floor}");
  teach_clips(*four.slot,
              ToyClipLesson(clips_of(std::vector<Index>(20, 2), 0), std::vector<int>(20, 1)), work);
  std::vector<int> two(20, 2);
  std::fill(two.begin() + 10, two.end(), 3);
  teach_clips(*memory.slot, ToyClipLesson(clips_of(std::vector<Index>(20, 2), 100), two), work);
  EXPECT_EQ(kept_per_class(*memory.slot), (std::map<int, int>{{1, 4}, {2, 4}, {3, 4}}));
  for (const auto& [id, clip] : clips_in(memory->samples())) {
    EXPECT_TRUE(id >= 100 || clips_in(four->samples()).contains(id)) << id;
  }
  teach_clips(*memory.slot, ToyClipLesson(clips_of({2, 2}, 200), {4, 5}), work);
  EXPECT_EQ(kept_per_class(*memory.slot),
            (std::map<int, int>{{1, 2}, {2, 2}, {3, 2}, {4, 1}, {5, 1}}));
}

TEST(Quota, floor_counts_classes_that_have_nothing_left) {
  // Clips of class 1 never fit; of 6 frames each of three classes has 2 all the same.
  ToyWork work;
  auto memory =
      make_part<Memory>(Slot::memory, "class_balanced", "{budget: 6, unit: frames, quota: floor}");
  teach_clips(*memory.slot, ToyClipLesson(clips_of({10, 10}, 0), {1, 1}), work);
  EXPECT_TRUE(memory->samples().empty());
  teach_clips(*memory.slot,
              ToyClipLesson(clips_of(std::vector<Index>(8, 1), 10), {2, 2, 2, 2, 3, 3, 3, 3}),
              work);
  EXPECT_EQ(kept_per_class(*memory.slot), (std::map<int, int>{{2, 2}, {3, 2}}));
}

TEST(Quota, below_one_clip_per_class_goes_by_lot_and_to_nobody_when_floored) {
  // Six classes, three places; the old ones are as likely to stay as the new ones are to come.
  std::map<int, int> kept;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    ToyWork work(seed);
    auto memory = make_part<Memory>(Slot::memory, "class_balanced", "{budget: 3}");
    teach_clips(*memory.slot, ToyClipLesson(clips_of({3, 3, 3}, 0), {1, 2, 3}), work);
    const auto first = memory->labels();
    EXPECT_EQ(first.size(), 3U);
    teach_clips(*memory.slot,
                ToyClipLesson(clips_of(std::vector<Index>(9, 3), 10), {4, 4, 4, 5, 5, 5, 6, 6, 6}),
                work);
    EXPECT_EQ(memory->samples().size(), 3);
    for (const auto& [label, count] : kept_per_class(*memory.slot)) {
      EXPECT_EQ(count, 1);
      ++kept[label];
    }
  }
  for (int label = 1; label <= 6; ++label) {  // 150 expected, a standard deviation of 8.7
    EXPECT_NEAR(kept[label], 150, 35) << label;
  }
  ToyWork work;
  auto floored = make_part<Memory>(Slot::memory, "class_balanced", "{budget: 2, quota: floor}");
  teach_clips(*floored.slot, ToyClipLesson(clips_of({3, 3, 3}, 0), {1, 2, 3}), work);
  EXPECT_TRUE(floored->samples().empty());
}

TEST(Quota, of_one_sample_per_class_and_of_none) {
  ToyWork work;
  for (const std::string name : {"class_balanced", "herding", "reservoir"}) {
    auto one = make_part<Memory>(Slot::memory, name, "{budget: 4, unit: frames, frames: 1}");
    teach_clips(*one.slot, ToyClipLesson(clips_of({5, 1, 7, 2}, 0), {1, 2, 3, 4}), work);
    EXPECT_EQ(kept_per_class(*one.slot), (std::map<int, int>{{1, 1}, {2, 1}, {3, 1}, {4, 1}}));
    for (const std::string unit : {"samples", "frames", "bytes"}) {
      auto none =
          make_part<Memory>(Slot::memory, name, fmt::format("{{budget: 0, unit: {}}}", unit));
      for (const ToyClipLesson& lesson : random_lessons(4)) {
        teach_clips(*none.slot, lesson, work);
        EXPECT_TRUE(none->samples().empty() && none->labels().empty());
        none = reloaded(none, Slot::memory, name, fmt::format("{{budget: 0, unit: {}}}", unit));
      }
    }
  }
}

TEST(Herding, released_takes_those_nearest_to_the_mean_of_unit_rows) {
  const Matrix rows = random_rows(40, 3, 91);
  Dense<double> unit = rows.cast<double>();
  unit.rowwise().normalize();
  Eigen::RowVectorXd mean = unit.colwise().mean();
  mean.normalize();
  std::vector<std::pair<double, std::uint32_t>> order;
  for (Index i = 0; i < 40; ++i) {
    order.emplace_back((unit.row(i) - mean).norm(), static_cast<std::uint32_t>(i));
  }
  std::sort(order.begin(), order.end());
  ToyWork work;
  for (const std::size_t budget : {1U, 7U, 20U}) {
    auto memory = make_part<Memory>(Slot::memory, "herding",
                                    fmt::format("{{budget: {}, form: released}}", budget));
    memory->keep(ToyExperience(rows, std::vector<int>(40, 1)), work);
    std::set<std::uint32_t> expected;
    for (std::size_t i = 0; i < budget; ++i) {
      expected.insert(order[i].second);
    }
    std::set<std::uint32_t> got;
    for (Index i = 0; i < memory->samples().size(); ++i) {
      got.insert(static_cast<std::uint32_t>(memory->samples().id(i)));
    }
    EXPECT_EQ(got, expected);
  }
}

TEST(FrameOptions, are_refused_in_sentences) {
  const auto complaint = [](const char* name, const char* yaml) -> std::string {
    try {
      make_part<Memory>(Slot::memory, name, yaml);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint("herding", "{frames: some}"),
              HasSubstr("frames is \"some\"; it must be a number of frames, all or auto"));
  EXPECT_THAT(complaint("herding", "{frames: -2}"), HasSubstr("frames is \"-2\""));
  EXPECT_THAT(complaint("herding", "{frames: 2.5}"), HasSubstr("frames is \"2.5\""));
  EXPECT_THAT(complaint("reservoir", "{frames: auto}"), HasSubstr("cannot be auto"));
  EXPECT_THAT(complaint("herding", "{choose: best}"), HasSubstr("choose"));
  EXPECT_EQ(complaint("herding", "{frames: 8}"), "");
}

}  // namespace
}  // namespace tyto
