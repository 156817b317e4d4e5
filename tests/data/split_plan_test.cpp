// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/releases/split_plan.hpp"

#include "support/kowl_plan.hpp"
#include "support/scratch.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing_support::Scratch;

constexpr const char* kTwoReleases =
    "name: toy\n"
    "releases:\n"
    "  - name: one\n"
    "    lists: [one.csv]\n"
    "  - name: two\n"
    "    lists: [two_a.csv, two_b.csv]\n";

SplitPlan plan_of(const std::string& yaml, const std::filesystem::path& folder = "lists") {
  return read_split_plan(parse_yaml(yaml, "toy.yaml"), folder);
}

std::string plan_refusal(const std::string& yaml, const std::filesystem::path& folder = "lists") {
  try {
    plan_of(yaml, folder);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SplitPlan, reads_releases_in_order_with_paths_relative_to_the_file) {
  const SplitPlan plan = plan_of(kTwoReleases);
  EXPECT_EQ(plan.name, "toy");
  EXPECT_EQ(plan.stream, "toy");
  EXPECT_EQ(plan.start, 0U);
  ASSERT_EQ(plan.releases.size(), 2U);
  EXPECT_THAT(plan.releases[1].lists, ElementsAre("lists/two_a.csv", "lists/two_b.csv"));
  EXPECT_EQ(plan.releases[1].increments, 5);
  EXPECT_EQ(plan.columns.id, "id");
  EXPECT_FALSE(plan.columns.have_times());
}

TEST(SplitPlan, takes_rules_of_the_whole_and_of_one_release) {
  const SplitPlan plan = plan_of(
      "name: toy\nlabel: first_come\nmerge_case: false\nstart: two\nincrements: 3\nseed: 9\n"
      "stream: other\nblacklist: lost.txt\ncolumns: {id: vid, start: from, end: to}\n"
      "releases:\n"
      "  - {name: one, splits: {val: test, holdout: validate, test: unused}}\n"
      "  - {name: two}\n"
      "  - {name: three, increments: 7, renames: {a: b, b: c}}\n");
  EXPECT_EQ(plan.start, 1U);
  EXPECT_EQ(plan.stream, "other");
  EXPECT_EQ(plan.seed, 9);
  EXPECT_EQ(plan.blacklist, "lists/lost.txt");
  EXPECT_TRUE(plan.columns.have_times());
  EXPECT_EQ(plan.releases[1].increments, 3);
  EXPECT_EQ(plan.releases[2].increments, 7);
  const auto& splits = plan.releases[0].splits;
  ASSERT_EQ(splits.size(), 4U);
  EXPECT_EQ(splits[1].becomes, "test");
  EXPECT_TRUE(splits[2].is_unused());
  EXPECT_EQ(splits[3].listed, "holdout");
  EXPECT_EQ(splits[3].becomes, "validate");
  const UnifyRules rules = plan.rules();
  EXPECT_FALSE(rules.recent_first);
  EXPECT_FALSE(rules.merge_case);
  // A chain is followed to its end.
  EXPECT_THAT(rules.releases[2].renames, ElementsAre(Pair("a", "c"), Pair("b", "c")));
}

TEST(SplitPlan, reads_renames_from_a_table_too) {
  const Scratch folder;
  write_file(folder / "changes.csv",
             "from_dataset,from_label,to_label\none,a,b\ntwo,a,c\nuno,d,e\n");
  const SplitPlan plan = plan_of(
      "name: toy\nreleases:\n  - {name: one, also_called: [uno], renames: changes.csv}\n"
      "  - {name: two, supersedes: {b: f}}\n",
      folder.path());
  const UnifyRules rules = plan.rules();
  EXPECT_THAT(rules.releases[0].renames, ElementsAre(Pair("a", "b"), Pair("d", "e")));
  EXPECT_EQ(rules.renamed(0, "a"), "f");  // then what the later release supersedes
  EXPECT_EQ(rules.renamed(1, "b"), "b");  // not of its own labels
}

TEST(SplitPlan, names_file_line_key_rule_and_value_of_a_mistake) {
  const std::string start = "name: toy\nreleases:\n";

  struct Case {
    std::string yaml;
    std::vector<std::string> said;
  };

  for (const Case& bad : std::vector<Case>{
           {"releases: [{name: a}]\n", {"toy.yaml", "name", "needs a name"}},
           {"name: toy\n", {"toy.yaml", "releases", "one release or more"}},
           {"name: toy\nreleases: {a: b}\n", {"toy.yaml", "releases"}},
           {start + "  - lists: [a.csv]\n", {"toy.yaml:3:5", "releases.0", "no name"}},
           {start + "  - name: a\n  - name: b\n  - name: a\n",
            {"toy.yaml:5:5", "releases.2", "\"a\" already, at toy.yaml:3:5: releases.0"}},
           {start + "  - name: a\n  - {name: b, also_called: [a]}\n",
            {"toy.yaml:4:5", "releases.1", "\"a\" already"}},
           {start + "  - {name: a, split: {val: test}}\n", {"split", "did you mean \"splits\"?"}},
           {start + "  - {name: a, splits: {val: tests}}\n",
            {"toy.yaml:3:", "releases.0.splits.val", "\"tests\" is not one of train, validate"}},
           {start + "  - {name: a, splits: [val]}\n", {"releases.0.splits", "must be a map"}},
           {start + "  - {name: a, renames: {x: x}}\n",
            {"toy.yaml:3:", "releases.0.renames.x", "\"x\" is renamed to itself"}},
           {start + "  - {name: a, renames: {x: y, y: z, z: x}}\n",
            {"toy.yaml:3:", "releases.0.renames.x", "in a circle: x -> y -> z"}},
           {start + "  - {name: a, renames: {w: x, x: y, y: x}}\n", {"in a circle"}},
           {start + "  - {name: a, renames: {x: \"\"}}\n", {"no name may be empty"}},
           {start + "  - {name: a, renames: {x: [y]}}\n", {"must be one name"}},
           {start + "  - {name: a, renames: {x: unknown}}\n", {"releases.0.renames.x", "unknown"}},
           {start + "  - {name: a, renames: [x, y]}\n", {"releases.0.renames", "must be a map"}},
           {start + "  - {name: a, supersedes: {x: x}}\n", {"releases.0.supersedes.x", "itself"}},
           {start + "  - {name: a, increments: -1}\n", {"releases.0.increments", "-1"}},
           {"start: b\n" + start + "  - {name: a}\n",
            {"toy.yaml:1:8", "start", "no release is called \"b\"", "there are: a"}},
           {"label: newest\n" + start + "  - {name: a}\n", {"toy.yaml:1:8", "label", "newest"}},
           {"place: last\n" + start + "  - {name: a}\n", {"toy.yaml:1:8", "place", "first_come"}},
           {"columns: {start: a}\n" + start + "  - {name: a}\n",
            {"columns", "\"a\"", "both or none"}},
       }) {
    const std::string said = plan_refusal(bad.yaml);
    for (const std::string& words : bad.said) {
      EXPECT_THAT(said, HasSubstr(words)) << bad.yaml;
    }
  }
}

TEST(SplitPlan, a_table_that_gives_a_name_two_successors_is_refused_by_line) {
  const Scratch folder;
  write_file(folder / "changes.csv", "from_label,to_label\na,b\nc,d\na,e\n");
  EXPECT_THAT(
      plan_refusal("name: toy\nreleases:\n  - {name: one, renames: changes.csv}\n", folder.path()),
      AllOf(HasSubstr("changes.csv: line 4"), HasSubstr("\"a\" becomes \"e\" here and \"b\""),
            HasSubstr("changes.csv: line 2")));
  write_file(folder / "short.csv", "from_label\na\n");
  EXPECT_THAT(
      plan_refusal("name: toy\nreleases:\n  - {name: one, renames: short.csv}\n", folder.path()),
      AllOf(HasSubstr("short.csv"), HasSubstr("no column is called \"to_label\"")));
}

TEST(SplitPlan, kowl718_ships_as_a_file_with_its_six_renames) {
  const SplitPlan plan = testing_support::kowl_plan();
  ASSERT_EQ(plan.releases.size(), 3U);
  EXPECT_EQ(plan.releases[0].renames.size(), 6U);
  EXPECT_EQ(plan.rules().renamed(0, "tying tie"), "tying necktie");
  EXPECT_EQ(plan.rules().renamed(1, "tying tie"), "tying tie");
  EXPECT_EQ(plan.releases[2].splits[1].becomes, "test");
  EXPECT_TRUE(plan.releases[2].splits[2].is_unused());
  EXPECT_THAT(split_plan_names(), testing::Contains("kowl718"));
  EXPECT_TRUE(std::filesystem::exists(find_split_plan("kowl718")));
  try {
    find_split_plan("kowl781");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean \"kowl718\"?"));
  }
}

TEST(CheckRenames, tells_names_that_no_list_has) {
  SplitPlan plan = plan_of(
      "name: toy\nreleases:\n"
      "  - {name: one, renames: {a: B, gone: b, c: d}}\n"
      "  - {name: two, supersedes: {b: e, B: f}}\n");
  const auto row = [](const char* label) { return ListedRow{{"v", -1, -1}, label, 0}; };
  const std::vector<std::vector<Rename>> own{plan.releases[0].renames, {}};
  const std::vector<std::vector<Rename>> supersedes{{}, plan.releases[1].supersedes};
  const RenameUse fine = check_renames({{row("a")}, {row("b"), row("F")}}, plan.rules(), own,
                                       supersedes);  // B is b, f is F
  EXPECT_FALSE(fine.made_up) << *fine.made_up;
  ASSERT_EQ(fine.idle.size(), 3U);
  EXPECT_THAT(fine.idle[0], AllOf(HasSubstr("releases.0.renames.gone"), HasSubstr("\"gone\"")));
  EXPECT_THAT(fine.idle[1], HasSubstr("no list of one has \"c\""));
  EXPECT_THAT(fine.idle[2], HasSubstr("no list of a release before two has \"b\""));
  const RenameUse bad = check_renames({{row("c")}, {row("b")}}, plan.rules(), own, supersedes);
  ASSERT_TRUE(bad.made_up);
  EXPECT_THAT(*bad.made_up, AllOf(HasSubstr("toy.yaml:3:"), HasSubstr("releases.0.renames.c"),
                                  HasSubstr("\"c\" becomes \"d\", which no list has")));
}

TEST(ReadLists, other_columns_other_splits_and_no_times) {
  const SplitPlan plan = plan_of(
      "name: toy\ncolumns: {id: vid, label: class, split: part}\n"
      "releases:\n  - {name: one, splits: {holdout: test, extra: unused}}\n");
  const std::vector<CsvTable> files{
      CsvTable::parse("vid,class,part\na,run,train\nb,walk,holdout\nc,,extra\n", "a.csv")};
  const auto rows = read_lists(files, plan.columns, plan.releases[0].splits);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].key.text(), "a");
  EXPECT_EQ(plan.releases[0].splits[rows[1].split].becomes, "test");
  EXPECT_TRUE(plan.releases[0].splits[rows[2].split].is_unused());
  const std::vector<CsvTable> bad{
      CsvTable::parse("vid,class,part\na,run,train\nb,walk,holdouts\n", "b.csv")};
  try {
    read_lists(bad, plan.columns, plan.releases[0].splits);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("b.csv: line 3, column \"part\""), HasSubstr("\"holdouts\""),
                      HasSubstr("train, validate (or val), test, holdout, extra")));
  }
  const std::vector<CsvTable> without{CsvTable::parse("vid,part\na,train\n", "c.csv")};
  try {
    read_lists(without, plan.columns, plan.releases[0].splits);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("c.csv: no column is called \"class\""));
  }
}

TEST(ReadBlacklist, of_lists_without_times_has_ids_alone) {
  const auto lost = read_blacklist("abc\n\nd_000001_000002\n", "lost.txt", false);
  ASSERT_EQ(lost.size(), 2U);
  EXPECT_EQ(lost[1].key, (ClipKey{"d_000001_000002", -1, -1}));
  EXPECT_EQ(lost[1].line, 3);
}

TEST(UnifyReleases, first_come_keeps_the_first_label_and_its_spelling) {
  SplitPlan plan = plan_of("name: toy\nlabel: first_come\nreleases: [{name: one}, {name: two}]\n");
  const auto row = [](const char* video, const char* label) {
    return ListedRow{{video, -1, -1}, label, 0};
  };
  const auto unified = unify_releases(
      {{row("p", "Run"), row("q", "walk")}, {row("p", "jog"), row("r", "run")}}, plan.rules());
  EXPECT_EQ(unified.clips[0][0].label, "Run");
  EXPECT_EQ(unified.clips[1][0].label, "Run");  // in the older spelling
  EXPECT_EQ(unified.counts[1][0].repeated, 1);
}

}  // namespace
}  // namespace tyto
