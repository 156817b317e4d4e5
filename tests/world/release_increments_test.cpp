// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/release_increments.hpp"

#include <cstdlib>
#include <filesystem>
#include <map>

#include "support/kowl_plan.hpp"
#include "support/places.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/world/manifest.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::kK400;
using testing_support::kK600;
using testing_support::kK700;
using testing_support::kowl_plan;

constexpr std::size_t kTrainSide = 0, kValidateSide = 1, kTestSide = 2;

class KineticsMaker {
 public:
  explicit KineticsMaker(std::size_t releases = 3) { unified_.clips.resize(releases); }

  KineticsMaker& add(std::size_t release, const std::string& label, std::size_t split,
                     Index count) {
    for (Index i = 0; i < count; ++i) {
      unified_.clips[release].push_back({{fmt::format("v{}", ++videos_), 0, 10}, label, split});
    }
    return *this;
  }

  [[nodiscard]] const UnifiedReleases& unified() const { return unified_; }

 private:
  UnifiedReleases unified_;
  Index videos_ = 0;
};

// A tenth of the published sizes: 409 classes at the start, 227 and 82 more.
UnifiedReleases synthetic_kinetics(std::uint64_t seed) {
  Rng rng(seed, "sizes");
  KineticsMaker maker;
  Index classes = 0;
  const auto add = [&](std::size_t release, Index upto, Index low, Index spread, Index tests) {
    for (Index c = 0; c < upto; ++c) {
      const std::string label = fmt::format("class {:03d}", c);
      const bool is_novel = c >= classes;
      maker.add(release, label, kTrainSide, is_novel ? low + rng.below(spread) : 20);
      maker.add(release, label, kValidateSide, tests + rng.below(3));
      if (release != kK700) {
        maker.add(release, label, kTestSide, tests + rng.below(5));
      }
    }
    classes = upto;
  };
  add(kK400, 409, 20, 60, 4);
  add(kK600, 409 + 227, 20, 60, 2);
  add(kK700, 409 + 227 + 82, 40, 60, 4);
  return maker.unified();
}

void spread_over(SplitPlan& plan, Index increments) {
  for (ReleasePlan& release : plan.releases) {
    release.increments = increments;
  }
}

std::vector<IncrementCounts> kowl_counts(const UnifiedReleases& unified, const char* schedule,
                                         bool unite_test = true, std::uint64_t seed = 1) {
  SplitPlan options = kowl_plan();
  options.schedule = schedule;
  options.test = unite_test ? "union" : "separate";
  return count_increments(build_release_increments(unified, options, Rng(seed)).schedule);
}

std::vector<Index> kowl_novel(const std::vector<IncrementCounts>& counts) {
  std::vector<Index> novel;
  for (const IncrementCounts& increment : counts) {
    novel.push_back(increment.novel_classes);
  }
  return novel;
}

TEST(ReleaseIncrements, schedules_227_and_82_classes_by_ceil_and_by_floor) {
  const UnifiedReleases unified = synthetic_kinetics(3);
  const auto table = kowl_counts(unified, "table");
  EXPECT_THAT(kowl_novel(table), ElementsAre(0, 46, 46, 46, 46, 43, 17, 17, 17, 17, 14));
  EXPECT_THAT(kowl_novel(kowl_counts(unified, "text")),
              ElementsAre(0, 45, 45, 45, 45, 47, 16, 16, 16, 16, 18));
  std::vector<Index> known;
  for (const IncrementCounts& increment : table) {
    known.push_back(increment.known_classes);
  }
  EXPECT_THAT(known, ElementsAre(409, 409, 455, 501, 547, 593, 636, 653, 670, 687, 704));
}

TEST(ReleaseIncrements, known_samples_grow_by_the_novel_ones_up_to_rounding) {
  // An increment takes a fold of each group introduced before it, and the folds of a group differ
  // by one row at most: with the base classes at most five groups, hence five rows.
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const UnifiedReleases unified = synthetic_kinetics(seed);
    for (const char* schedule : {"table", "text"}) {
      const auto counts = kowl_counts(unified, schedule, true, seed);
      ASSERT_EQ(counts.size(), 11U);
      for (const std::size_t first : {1U, 6U}) {
        for (std::size_t t = first; t < first + 4; ++t) {
          const auto& now = counts[t].samples[kTrainSide];
          const Index then = counts[t + 1].samples[kTrainSide].known;
          EXPECT_LE(std::abs(now.known + now.novel - then), 5) << schedule << " increment " << t;
        }
      }
    }
  }
}

TEST(ReleaseIncrements, the_rarest_class_comes_first_in_the_table_and_last_in_the_text) {
  KineticsMaker maker;
  maker.add(kK400, "a", kTrainSide, 9).add(kK400, "b", kTrainSide, 9);
  maker.add(kK400, "a", kTestSide, 2);
  maker.add(kK600, "rare", kTrainSide, 3).add(kK600, "often", kTrainSide, 8);
  SplitPlan options = kowl_plan();
  spread_over(options, 2);
  for (const auto& [schedule, first] :
       std::map<std::string, std::string>{{"table", "rare"}, {"text", "often"}}) {
    options.schedule = schedule;
    const auto split = build_release_increments(maker.unified(), options, Rng(1));
    EXPECT_THAT(split.schedule.increments[1].introduced, ElementsAre(first));
  }
}

TEST(ReleaseIncrements, the_united_test_is_validate_and_test_of_k600_one_after_the_other) {
  const UnifiedReleases unified = synthetic_kinetics(5);
  SplitPlan options = kowl_plan();
  const ReleaseIncrements united = build_release_increments(unified, options, Rng(2));
  options.test = "separate";
  const ReleaseIncrements apart = build_release_increments(unified, options, Rng(2));
  ASSERT_EQ(united.schedule.size(), 11);
  for (std::size_t t = 0; t < 11; ++t) {
    const auto& a = apart.schedule.increments[t].splits;
    const auto& u = united.schedule.increments[t].splits;
    EXPECT_EQ(u[kTrainSide].row, a[kTrainSide].row);
    if (t == 0) {
      EXPECT_EQ(u[kValidateSide].row, a[kValidateSide].row);
      EXPECT_EQ(u[kTestSide].row, a[kTestSide].row);
      continue;
    }
    EXPECT_EQ(u[kValidateSide].size(), 0);
    EXPECT_EQ(a[kValidateSide].size() > 0, t <= 5) << t;  // k700 has no validation rows left
    std::vector<Index> both = a[kValidateSide].row;
    both.insert(both.end(), a[kTestSide].row.begin(), a[kTestSide].row.end());
    EXPECT_EQ(u[kTestSide].row, both);
    EXPECT_EQ(u[kTestSide].novel.size(), both.size());
  }
}

TEST(ReleaseIncrements, validation_rows_of_k700_test) {
  KineticsMaker maker;
  maker.add(kK400, "a", kTrainSide, 9).add(kK400, "b", kTrainSide, 9);
  maker.add(kK400, "a", kValidateSide, 4).add(kK400, "a", kTestSide, 2);
  maker.add(kK700, "a", kTrainSide, 10).add(kK700, "a", kValidateSide, 10);
  for (const bool unite : {true, false}) {
    const auto counts = kowl_counts(maker.unified(), "table", unite);
    EXPECT_EQ(counts[0].samples[kValidateSide].known, 4);
    EXPECT_EQ(counts[0].samples[kTestSide].known, 2);
    for (std::size_t t = 6; t <= 10; ++t) {
      EXPECT_EQ(counts[t].samples[kTrainSide].known, 2);
      EXPECT_EQ(counts[t].samples[kValidateSide].known, 0);
      EXPECT_EQ(counts[t].samples[kTestSide].known, 2);
    }
  }
}

TEST(ReleaseIncrements, a_release_without_train_rows_counts_all_its_rows) {
  // By validate alone y would lead, by test alone z; by both x has 4 + 3, y 5 + 1, z 0 + 4.
  KineticsMaker maker;
  maker.add(kK400, "a", kTrainSide, 9).add(kK400, "b", kTrainSide, 9);
  maker.add(kK400, "a", kTestSide, 2);
  maker.add(kK600, "x", kValidateSide, 4).add(kK600, "x", kTestSide, 3);
  maker.add(kK600, "y", kValidateSide, 5).add(kK600, "y", kTestSide, 1);
  maker.add(kK600, "z", kTestSide, 4).add(kK700, "w", kTrainSide, 4);
  maker.add(kK700, "a", kTrainSide, 4).add(kK700, "t", kValidateSide, 40);
  SplitPlan options = kowl_plan();
  spread_over(options, 3);
  const auto split = build_release_increments(maker.unified(), options, Rng(1));
  EXPECT_THAT(split.without_train, ElementsAre("k600"));
  EXPECT_THAT(split.schedule.increments[1].introduced, ElementsAre("x"));
  EXPECT_THAT(split.schedule.increments[2].introduced, ElementsAre("y"));
  EXPECT_THAT(split.schedule.increments[3].introduced, ElementsAre("z"));
  // k700 has train rows, so its class t, in validate alone, is introduced by none.
  EXPECT_THAT(split.schedule.increments[6].introduced, ElementsAre("w"));
}

TEST(ReleaseIncrements, a_start_without_train_rows_is_refused) {
  KineticsMaker maker;
  maker.add(kK400, "a", kTestSide, 9).add(kK600, "b", kTrainSide, 9);
  try {
    build_release_increments(maker.unified(), kowl_plan(), Rng(1));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("increment 0 (\"k400\") has 0 classes to train on"));
  }
}

TEST(ReleaseIncrements, every_clip_stands_in_the_manifest_once_and_the_seed_decides_where) {
  const UnifiedReleases unified = synthetic_kinetics(7);
  const auto text = [&](std::uint64_t seed) {
    return manifest_csv(build_release_increments(unified, kowl_plan(), Rng(seed)), kowl_plan());
  };
  const std::string first = text(4);
  EXPECT_EQ(first, text(4));
  EXPECT_NE(first, text(5));
  const CsvTable manifest = CsvTable::parse(first, "manifest.csv");
  std::map<std::string, std::string> label_of;
  for (Index row = 0; row < manifest.rows(); ++row) {
    EXPECT_TRUE(
        label_of.emplace(manifest.text(row, 0), manifest.text(row, manifest.column("label")))
            .second);
  }
  std::size_t clips = 0;
  for (const auto& release : unified.clips) {
    clips += release.size();
    for (const UnifiedClip& clip : release) {
      EXPECT_EQ(label_of[clip.key.text()], clip.label);
    }
  }
  EXPECT_EQ(label_of.size(), clips);
}

TEST(ReleaseIncrements, writes_manifest_classes_and_counts) {
  UnifiedReleases unified;
  unified.clips.resize(3);
  unified.clips[0] = {{{"p", 1, 11}, "run", kTrainSide},
                      {{"q", -1, -1}, "walk, slow", kTrainSide},
                      {{"r", 2, 12}, "run", kTestSide}};
  unified.clips[2] = {{{"s", 3, 13}, "fly", kValidateSide}};
  unified.names = {{"fly", "fly", {false, false, true}},
                   {"go", "walk, slow", {true, true, false}},
                   {"lost", "lost", {false, true, false}},
                   {"run", "run", {true, false, false}}};
  SplitPlan options = kowl_plan();
  spread_over(options, 1);
  const ReleaseIncrements split = build_release_increments(unified, options, Rng(1));
  EXPECT_EQ(manifest_csv(split, options),
            "id,label,increment,split,novelty,youtube_id,time_start,time_end,dataset\n"
            "p_000001_000011,run,0,train,known,p,1,11,k400\n"
            "q,\"walk, slow\",0,train,known,q,-1,-1,k400\n"
            "r_000002_000012,run,0,test,known,r,2,12,k400\n"
            "s_000003_000013,fly,2,test,novel,s,3,13,k700\n");
  EXPECT_EQ(classes_csv(unified, options, split.schedule),
            "label,unified_label,in_k400,in_k600,in_k700,first_increment\n"
            "fly,fly,0,0,1,2\n"
            "go,\"walk, slow\",1,1,0,0\n"
            "lost,lost,0,1,0,\n"
            "run,run,1,0,0,0\n");
  EXPECT_EQ(counts_csv(count_increments(split.schedule)),
            "increment,dataset,known_classes,novel_classes,train_known,train_novel,"
            "validate_known,validate_novel,test_known,test_novel\n"
            "0,k400,2,0,2,0,0,0,1,0\n"
            "1,k600,2,0,0,0,0,0,0,0\n"
            "2,k700,2,1,0,0,0,0,0,1\n");
}

TEST(ReleaseIncrements, shows_718_classes_of_the_published_lists) {
  const std::filesystem::path folder = testing_support::in_tree("/../shared/data/kinetics");
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << folder << " is not here";
  }
  SplitPlan plan = kowl_plan();
  std::vector<std::vector<ListedRow>> lists;
  for (const char* name :
       {"kinetics400.csv.gz", "kinetics600_val_test.csv.gz", "kinetics700_2020_val_test.csv.gz"}) {
    const std::vector<CsvTable> files{CsvTable::load(folder / name)};
    lists.push_back(read_lists(files, plan.columns, plan.releases[lists.size()].splits));
  }
  const UnifiedReleases unified = unify_releases(lists, plan.rules());
  const ReleaseIncrements split = build_release_increments(unified, kowl_plan(), Rng(0));
  EXPECT_EQ(split.schedule.first_shown.size(), 718U);
  EXPECT_THAT(split.without_train, ElementsAre("k600", "k700"));
  const auto counts = count_increments(split.schedule);
  EXPECT_THAT(kowl_novel(counts), ElementsAre(0, 45, 45, 45, 45, 46, 18, 18, 18, 18, 21));
  Index samples = 0;
  for (const IncrementCounts& increment : counts) {
    samples += increment.total();
  }
  EXPECT_EQ(samples, unified.total().shown);
  EXPECT_EQ(counts.back().known_classes + counts.back().novel_classes, 718);
}

}  // namespace
}  // namespace tyto
