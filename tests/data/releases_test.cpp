// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>

#include "support/kowl_plan.hpp"
#include "support/places.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/random.hpp"
#include "tyto/data/releases/unify.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing_support::kK400;
using testing_support::kK600;
using testing_support::kK700;
using testing_support::kowl_plan;

constexpr std::array<std::string_view, 3> kListSplits{"train", "validate", "test"};

constexpr const char* kKineticsHeader = "label,youtube_id,time_start,time_end,split\n";

CsvTable kinetics_csv(const std::string& rows, const std::string& name = "list.csv") {
  return CsvTable::parse(kKineticsHeader + rows, name);
}

std::vector<ListedRow> read_kinetics(std::span<const CsvTable> files, std::size_t release) {
  const SplitPlan plan = kowl_plan();
  return read_lists(files, plan.columns, plan.releases[release].splits);
}

std::vector<ListedRow> kinetics_rows(const std::string& rows, std::size_t release = kK400) {
  const std::vector<CsvTable> files{kinetics_csv(rows)};
  return rows.empty() ? std::vector<ListedRow>{} : read_kinetics(files, release);
}

UnifyRules kowl_rules(bool merge_case = true) {
  UnifyRules rules = kowl_plan().rules();
  rules.merge_case = merge_case;
  return rules;
}

UnifiedReleases unify_texts(const std::string& k400, const std::string& k600,
                            const std::string& k700, const std::string& blacklist = "",
                            bool merge_case = true) {
  return unify_releases(
      {kinetics_rows(k400), kinetics_rows(k600, kK600), kinetics_rows(k700, kK700)},
      kowl_rules(merge_case), read_blacklist(blacklist, "lost.txt"));
}

// "id label split" of the clips shown with a release.
std::vector<std::string> shown(const UnifiedReleases& unified, std::size_t release) {
  std::vector<std::string> out;
  for (const UnifiedClip& clip : unified.clips[release]) {
    out.push_back(fmt::format("{} {} {}", clip.key.text(), clip.label, kListSplits[clip.split]));
  }
  return out;
}

const ListCounts& counts_of(const UnifiedReleases& unified, std::size_t release,
                            std::size_t split) {
  return unified.counts[release][split];
}

template <class Call>
std::string kinetics_refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ReadLists, finds_columns_by_name_and_ignores_others) {
  const std::vector<CsvTable> files{
      CsvTable::parse("split,extra,time_end,time_start,youtube_id,label\n"
                      "val,7,20,10,abc,\"run, fast\"\ntest,8,-1,-1,def,walk\n",
                      "a.csv"),
      kinetics_csv("walk,ghi,0,1,train\nrun,jkl,3.0,4.0,validate\n", "b.csv")};
  const auto rows = read_kinetics(files, kK400);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].key.text(), "abc_000010_000020");
  EXPECT_EQ(rows[0].label, "run, fast");
  EXPECT_EQ(kListSplits[rows[0].split], "validate");
  EXPECT_EQ(rows[1].key.text(), "def");  // no times: the id alone
  EXPECT_EQ(kListSplits[rows[2].split], "train");
  EXPECT_EQ(rows[3].key.text(), "jkl_000003_000004");
  EXPECT_EQ(kListSplits[rows[3].split], "validate");
}

TEST(ReadLists, names_file_line_rule_and_value_of_a_mistake) {
  struct Case {
    std::string rows;
    std::vector<std::string> said;
  };

  for (const Case& bad : std::vector<Case>{
           {"", {"list.csv", "the list has no rows"}},
           {"run,a,1,2,train\nrun,b,x,2,train\n", {"line 3", "time_start", "\"x\""}},
           {"run,a,1,,train\n", {"line 2", "time_end", "whole number of seconds"}},
           {"run,a,1.5,2,train\n", {"line 2", "\"1.5\"", "whole number of seconds"}},
           {"run,a,-2,2,train\n", {"\"-2\"", "-1 for unknown"}},
           {"run,a,-1,2,train\n", {"line 2", "from second -1 to 2"}},
           {"run,a,5,5,train\n", {"line 2", "from second 5 to 5", "behind the start"}},
           {"run,a,1,2,training\n", {"line 2", "split", "\"training\"", "train, validate"}},
           {"run,a,1,2,\n", {"line 2", "the split \"\""}},
           {"run,,1,2,train\n", {"line 2", "youtube_id", "the id is empty"}},
           {"unknown,a,1,2,train\n", {"line 2", "label", "unknown"}},
           {"run,a,1,2,train\nwalk,b,1,2,train\nwalk,a,1,2,test\n",
            {"line 4", "a_000001_000002", "\"walk\" here", "\"run\" in list.csv, line 2"}},
           {"run,a,-1,-1,train\nwalk,a,-1,-1,train\n", {"line 3", "\"a\"", "one label"}}}) {
    const std::string said = kinetics_refusal([&] {
      const std::vector<CsvTable> files{kinetics_csv(bad.rows)};
      read_kinetics(files, kK600);
    });
    for (const std::string& words : bad.said) {
      EXPECT_THAT(said, HasSubstr(words)) << bad.rows;
    }
  }
}

TEST(ReadLists, refuses_two_labels_of_one_clip_in_two_files) {
  const std::vector<CsvTable> files{kinetics_csv("run,a,1,2,train\nrun,b,1,2,train\n", "x.csv"),
                                    kinetics_csv("run,a,1,2,test\nwalk,b,1,2,test\n", "y.csv")};
  EXPECT_THAT(kinetics_refusal([&] { read_kinetics(files, kK400); }),
              AllOf(HasSubstr("y.csv: line 3"), HasSubstr("in x.csv, line 3")));
}

TEST(ReadLists, a_missing_column_is_named_but_k700_test_rows_need_no_label) {
  const std::vector<CsvTable> tests{
      CsvTable::parse("youtube_id,time_start,time_end,split\na,1,2,test\n", "t.csv")};
  EXPECT_EQ(read_kinetics(tests, kK700).front().label, "");
  EXPECT_THAT(kinetics_refusal([&] { read_kinetics(tests, kK600); }),
              HasSubstr("t.csv: no column is called \"label\""));
  const std::vector<CsvTable> mixed{
      CsvTable::parse("youtube_id,time_start,time_end,split\na,1,2,test\nb,1,2,val\n", "m.csv")};
  EXPECT_THAT(kinetics_refusal([&] { read_kinetics(mixed, kK700); }),
              HasSubstr("m.csv: no column is called \"label\""));
  const std::vector<CsvTable> without_split{
      CsvTable::parse("label,youtube_id,time_start,time_end,splits\nrun,a,1,2,test\n", "s.csv")};
  EXPECT_THAT(kinetics_refusal([&] { read_kinetics(without_split, kK700); }),
              HasSubstr("did you mean \"splits\"?"));
}

TEST(ReadBlacklist, takes_ids_with_underscores_and_refuses_other_lines) {
  const auto keys = read_blacklist("a_b_000001_000011\r\n\n-_c__000100_1000110", "lost.txt");
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].key, (ClipKey{"a_b", 1, 11}));
  EXPECT_EQ(keys[1].key, (ClipKey{"-_c_", 100, 1000110}));
  EXPECT_EQ(keys[1].line, 3);  // the blank one counts
  for (const char* bad : {"abc", "abc_1_11", "abc_000001", "_000001_000011", "abc_00000x_000011"}) {
    EXPECT_THAT(
        kinetics_refusal([&] { read_blacklist(fmt::format("a_000001_000002\n{}\n", bad), "l"); }),
        AllOf(HasSubstr("l: line 2"), HasSubstr(bad), HasSubstr("{id}_{start}_{end}")));
  }
}

TEST(UnifyReleases, the_newest_label_wins_and_the_first_list_places) {
  const auto unified = unify_texts("old,a,1,2,train\nold,b,1,2,train\nold,c,1,2,test\n",
                                   "mid,a,1,2,test\nmid,b,1,2,test\nmid,d,1,2,train\n",
                                   "new,a,1,2,val\nnew,d,1,2,val\nnew,e,1,2,train\n");
  EXPECT_THAT(shown(unified, kK400),
              ElementsAre("a_000001_000002 new train", "b_000001_000002 mid train",
                          "c_000001_000002 old test"));
  EXPECT_THAT(shown(unified, kK600), ElementsAre("d_000001_000002 new train"));
  EXPECT_THAT(shown(unified, kK700), ElementsAre("e_000001_000002 new train"));
  EXPECT_EQ(counts_of(unified, kK600, 2).repeated, 2);
  EXPECT_EQ(counts_of(unified, kK700, 1).repeated, 2);
  EXPECT_EQ(unified.classes(), 3);
}

TEST(UnifyReleases, within_a_release_train_comes_before_validate_before_test) {
  const auto unified =
      unify_texts("x,a,1,2,test\nx,a,1,2,val\nx,b,1,2,test\nx,a,1,2,train\nx,b,1,2,val\n", "", "");
  EXPECT_THAT(shown(unified, kK400),
              ElementsAre("a_000001_000002 x train", "b_000001_000002 x validate"));
  EXPECT_EQ(counts_of(unified, kK400, 2).repeated, 2);
  EXPECT_EQ(counts_of(unified, kK400, 1).repeated, 1);
}

TEST(UnifyReleases, renames_labels_that_only_k400_gives) {
  // b has a label in k600, so the rename does not touch it; and k600's own "making bed" stays.
  const auto unified = unify_texts(
      "making bed,a,1,2,train\nmaking bed,b,1,2,train\n"
      "tying tie,c,1,2,train\n",
      "sleeping,b,1,2,train\nmaking bed,d,1,2,train\n", "");
  EXPECT_THAT(shown(unified, kK400),
              ElementsAre("a_000001_000002 making the bed train", "b_000001_000002 sleeping train",
                          "c_000001_000002 tying necktie train"));
  EXPECT_THAT(shown(unified, kK600), ElementsAre("d_000001_000002 making bed train"));
  EXPECT_THAT(unified.renamed, ElementsAre(Pair("making bed", 1), Pair("tying tie", 1)));
}

TEST(UnifyReleases, merges_names_that_differ_in_case_into_the_newest_spelling) {
  const std::string k400 = "Ball,a,1,2,train\nDYING,b,1,2,train\n";
  const std::string k600 = "ball,c,1,2,train\n";
  const std::string k700 = "BALL,d,1,2,train\n";
  const auto merged = unify_texts(k400, k600, k700);
  EXPECT_THAT(shown(merged, kK400),
              ElementsAre("a_000001_000002 BALL train", "b_000001_000002 DYING train"));
  EXPECT_THAT(shown(merged, kK600), ElementsAre("c_000001_000002 BALL train"));
  EXPECT_EQ(merged.classes(), 2);
  EXPECT_THAT(merged.recased, ElementsAre(Pair("Ball", 1), Pair("ball", 1)));
  const auto kept = unify_texts(k400, k600, k700, "", false);
  EXPECT_EQ(kept.classes(), 4);
  EXPECT_THAT(shown(kept, kK600), ElementsAre("c_000001_000002 ball train"));
  EXPECT_TRUE(kept.recased.empty());
}

TEST(UnifyReleases, a_rename_meets_a_name_in_another_case) {
  const auto unified = unify_texts("dying hair,a,1,2,train\n", "Dyeing hair,b,1,2,train\n", "");
  EXPECT_THAT(shown(unified, kK400), ElementsAre("a_000001_000002 Dyeing hair train"));
  EXPECT_EQ(unified.classes(), 1);
}

TEST(UnifyReleases, without_times_the_id_alone_is_the_key) {
  const auto unified = unify_texts("x,a,-1,-1,train\nx,b,-1,-1,train\nx,c,5,15,train\n",
                                   // Both of a may be the one of k400; c is known by its times.
                                   "y,a,10,20,test\nz,a,30,40,test\ny,c,-1,-1,test\n",
                                   "w,c,50,60,val\nw,d,-1,-1,val\n");
  EXPECT_THAT(shown(unified, kK400),
              ElementsAre("a_000010_000020 y train", "b x train", "c_000005_000015 y train"));
  EXPECT_THAT(shown(unified, kK600), ElementsAre());
  EXPECT_THAT(shown(unified, kK700), ElementsAre("c_000050_000060 w validate", "d w validate"));
  EXPECT_EQ(counts_of(unified, kK600, 2).repeated, 3);
}

TEST(UnifyReleases, removes_lost_clips_from_every_list) {
  const auto unified = unify_texts("x,a,1,2,train\nx,b,-1,-1,train\nx,c,1,2,train\n",
                                   "x,a,1,2,test\nx,a,5,6,test\n", "x,c,1,2,val\n",
                                   "a_000001_000002\nb_000007_000008\na_000008_000009\nz_000001_"
                                   "000002\n");
  EXPECT_THAT(shown(unified, kK400), ElementsAre("c_000001_000002 x train"));
  EXPECT_THAT(shown(unified, kK600), ElementsAre("a_000005_000006 x test"));
  EXPECT_EQ(counts_of(unified, kK400, 0).lost, 2);
  EXPECT_EQ(counts_of(unified, kK600, 2).lost, 1);
  EXPECT_THAT(unified.strays, ElementsAre(2U, 3U));  // a at another time, and z
}

TEST(UnifyReleases, counts_rows_without_label_and_test_rows_of_k700) {
  const auto unified = unify_texts("x,a,1,2,train\nx,b,1,2,train\n,c,1,2,train\n", "",
                                   ",a,1,2,test\n,d,1,2,test\ny,b,1,2,test\ny,e,1,2,test\n");
  EXPECT_THAT(shown(unified, kK400),
              ElementsAre("a_000001_000002 x train", "b_000001_000002 y train"));
  EXPECT_THAT(shown(unified, kK700), ElementsAre());
  EXPECT_EQ(counts_of(unified, kK400, 0).unlabelled, 1);
  EXPECT_EQ(counts_of(unified, kK700, 2).unlabelled, 2);
  EXPECT_EQ(counts_of(unified, kK700, 2).unused, 2);
}

// Searches all clips one by one, as the rules are written.
class SlowUnifier {
 public:
  explicit SlowUnifier(const std::vector<std::vector<ListedRow>>& lists) {
    for (std::size_t release = 0; release < 3; ++release) {
      for (std::size_t split = 0; split < 3; ++split) {
        for (const ListedRow& row : lists[release]) {
          if (row.split == split && !row.label.empty()) {
            add(row, release, release < 2 || split < 2);
          }
        }
      }
    }
  }

  bool lose(const ClipKey& key) {
    Clip* clip = find(key);
    if (clip != nullptr) {
      clip->is_lost = true;
    }
    return clip != nullptr;
  }

  [[nodiscard]] std::map<std::string, std::string> labels() const {
    std::map<std::string, std::string> out;
    for (const Clip& clip : clips_) {
      if (!clip.is_lost) {
        const auto& [old, middle, recent] = clip.label;
        out[clip.key.text()] = !recent.empty() ? recent : !middle.empty() ? middle : old;
      }
    }
    return out;
  }

 private:
  struct Clip {
    ClipKey key;
    bool by_id = false, is_lost = false;
    std::array<std::string, 3> label;
  };

  Clip* find(const ClipKey& key) {
    for (Clip& clip : clips_) {
      if (clip.key.video == key.video && (!key.is_timed() || clip.key == key)) {
        return &clip;
      }
    }
    for (Clip& clip : clips_) {
      if (clip.key.video == key.video && clip.by_id) {
        return &clip;
      }
    }
    return nullptr;
  }

  void add(const ListedRow& row, std::size_t release, bool is_used) {
    Clip* clip = find(row.key);
    if (clip == nullptr && is_used) {
      clip = &clips_.emplace_back(Clip{row.key, !row.key.is_timed(), false, {}});
    }
    if (clip == nullptr) {
      return;
    }
    if (is_used && !clip->key.is_timed()) {
      clip->key = row.key;
    }
    if (clip->label[release].empty()) {
      clip->label[release] = row.label;
    }
  }

  std::vector<Clip> clips_;
};

// Few videos and times, so that rows meet in every way.
std::vector<std::vector<ListedRow>> random_lists(std::uint64_t seed) {
  Rng rng(seed, "lists");
  std::vector<std::vector<ListedRow>> lists(3);
  for (auto& list : lists) {
    for (Index i = rng.below(40); i > 0; --i) {
      const Index time = rng.below(4) - 1;
      list.push_back({{fmt::format("v{}", rng.below(12)), time, time < 0 ? -1 : time + 10},
                      rng.below(8) == 0 ? "" : fmt::format("l{}", rng.below(5)),
                      static_cast<std::size_t>(rng.below(3))});
    }
  }
  return lists;
}

TEST(UnifyReleases, every_row_is_shown_once_or_counted_as_left_out) {
  const std::vector<LostClip> blacklist{
      {{"v1", 1, 11}, 1}, {{"v2", 0, 10}, 2}, {{"v99", 0, 10}, 3}};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto lists = random_lists(seed);
    SlowUnifier slow(lists);
    Index strays = 0;
    for (const LostClip& lost : blacklist) {
      strays += slow.lose(lost.key) ? 0 : 1;
    }
    const UnifiedReleases unified = unify_releases(lists, kowl_rules(), blacklist);
    EXPECT_EQ(std::ssize(unified.strays), strays);
    std::map<std::string, std::string> label_of;
    for (std::size_t release = 0; release < 3; ++release) {
      std::array<Index, 3> rows{};
      for (const ListedRow& row : lists[release]) {
        ++rows[row.split];
      }
      Index shown_here = 0;
      for (std::size_t split = 0; split < 3; ++split) {
        const ListCounts& c = unified.counts[release][split];
        EXPECT_EQ(c.rows, rows[split]);
        EXPECT_EQ(c.shown + c.repeated + c.lost + c.unlabelled + c.unused, c.rows);
        shown_here += c.shown;
      }
      EXPECT_EQ(shown_here, static_cast<Index>(unified.clips[release].size()));
      for (const UnifiedClip& clip : unified.clips[release]) {
        EXPECT_TRUE(label_of.emplace(clip.key.text(), clip.label).second) << clip.key.text();
      }
    }
    EXPECT_EQ(label_of, slow.labels()) << "seed " << seed;
  }
}

std::vector<Index> kowl_possible(const UnifiedReleases& unified, const CsvTable& changes,
                                 bool may_be_new = false) {
  return possible_classes(unified, changes, kowl_plan().names_of_releases(), may_be_new);
}

TEST(PossibleClasses, are_the_names_listed_and_those_that_clips_change_to) {
  // k400: making the bed (renamed), ball; one clip becomes door. k600 adds BALL (= ball) and hat,
  // a hat becomes cap. k700 adds sea.
  const auto unified = unify_texts("making bed,a,1,2,train\nball,b,1,2,train\n",
                                   "BALL,c,1,2,train\nhat,d,1,2,test\n",
                                   "door,e,1,2,val\ncap,f,1,2,val\nsea,g,1,2,val\n");
  const auto changes = CsvTable::parse(
      "from_dataset,to_dataset,from_label,to_label,samples\nk400,k600,ball,BALL,9\n"
      "k400,k700_2020,ball,door,1\nk600,k700_2020,hat,cap,3\n",
      "changes.csv");
  EXPECT_THAT(kowl_possible(unified, changes), ElementsAre(3, 5, 6));
  const auto wrong =
      CsvTable::parse("from_dataset,to_label\nk400,ball\nk500,ball\n", "changes.csv");
  EXPECT_THAT(kinetics_refusal([&] { kowl_possible(unified, wrong); }),
              AllOf(HasSubstr("changes.csv: line 3"), HasSubstr("\"k500\" is no release"),
                    HasSubstr("k700_2020")));
}

TEST(PossibleClasses, a_change_to_a_name_that_no_list_has_is_refused_unless_it_may_be_new) {
  const auto unified = unify_texts("ball,b,1,2,train\n", "hat,d,1,2,test\n", "sea,g,1,2,val\n");
  const auto changes =
      CsvTable::parse("from_dataset,to_label\nk400,hat\nk400,boat\n", "changes.csv");
  EXPECT_THAT(kinetics_refusal([&] { kowl_possible(unified, changes); }),
              AllOf(HasSubstr("changes.csv: line 3, column \"to_label\""),
                    HasSubstr("\"boat\", which no list has")));
  EXPECT_THAT(kowl_possible(unified, changes, true), ElementsAre(3, 3, 4));
}

TEST(UnifyReleases, gives_718_classes_on_the_published_lists) {
  const std::filesystem::path folder = testing_support::in_tree("/../shared/data/kinetics");
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << folder << " is not here";
  }
  const std::array<CsvTable, 3> files{CsvTable::load(folder / "kinetics400.csv.gz"),
                                      CsvTable::load(folder / "kinetics600_val_test.csv.gz"),
                                      CsvTable::load(folder / "kinetics700_2020_val_test.csv.gz")};
  std::vector<std::vector<ListedRow>> all(3);
  std::vector<std::vector<ListedRow>> refreshed(3);  // k400 and k600 without the dead links
  for (std::size_t r = 0; r < 3; ++r) {
    all[r] = read_kinetics({&files[r], 1}, r);
    const Index column = files[r].column("refreshed");
    for (std::size_t i = 0; i < all[r].size(); ++i) {
      if (r == 2 || files[r].text(static_cast<Index>(i), column) != "0") {
        refreshed[r].push_back(all[r][i]);
      }
    }
  }
  const UnifiedReleases unified = unify_releases(all, kowl_rules());
  EXPECT_EQ(unified.names.size(), 725U);
  EXPECT_EQ(unified.classes(), 718);
  EXPECT_EQ(unified.renamed.size(), 6U);
  EXPECT_EQ(counts_of(unified, kK700, 2).unlabelled, 67767);
  EXPECT_THAT(kowl_possible(unified, CsvTable::load(folder / "label_changes.csv")),
              ElementsAre(410, 637, 718));
  const CsvTable classes = CsvTable::load(folder / "classes.csv");
  std::map<std::string, std::string> published;
  for (Index row = 0; row < classes.rows(); ++row) {
    published.emplace(classes.text(row, classes.column("label")),
                      classes.text(row, classes.column("unified_label")));
  }
  for (const UnifiedName& name : unified.names) {
    EXPECT_EQ(published[name.listed], name.unified);
  }
  EXPECT_EQ(unify_releases(all, kowl_rules(false)).classes(), 719);

  const UnifiedReleases alive = unify_releases(refreshed, kowl_rules());
  EXPECT_EQ(counts_of(alive, kK400, 0).shown, 213486);
  EXPECT_EQ(counts_of(alive, kK400, 1).shown, 18035);
  EXPECT_EQ(counts_of(alive, kK400, 2).shown, 35357);
  EXPECT_EQ(counts_of(alive, kK600, 1).shown, 14726);
  EXPECT_EQ(counts_of(alive, kK600, 2).shown, 29765);
  EXPECT_EQ(counts_of(alive, kK700, 1).shown, 28575);
}

}  // namespace
}  // namespace tyto
