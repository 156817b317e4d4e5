// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "support/places.hpp"
#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

// Two classes at the start, one new in each later release; k600 repeats a clip of k400.
class SplitFolder {
 public:
  SplitFolder() {
    const std::string header = "label,youtube_id,time_start,time_end,split\n";
    std::string k400 = header;
    std::string k600 = header + "run,a1,0,10,train\n";
    std::string k700 = header + ",z9,0,10,test\n";
    for (const std::string i : {"1", "2", "3", "4"}) {
      k400 += "run,a" + i + ",0,10,train\nWalk,b" + i + ",0,10,train\nrun,c" + i + ",0,10,test\n";
      k600 += "swim,d" + i + ",0,10,train\nwalk,e" + i + ",0,10,val\n";
      k700 += "fly,f" + i + ",0,10,train\nfly,g" + i + ",0,10,val\n";
    }
    write_file(folder_ / "k400.csv", k400);
    write_file(folder_ / "k600.csv", k600);
    write_file(folder_ / "k700.csv", k700);
  }

  [[nodiscard]] testing_support::Outcome run(const std::string& out,
                                             std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"split",  "kowl718",        "--k400",       file("k400.csv"),
                                   "--k600", file("k600.csv"), "--k700",       file("k700.csv"),
                                   "--out",  file(out),        "--increments", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }

 private:
  Scratch folder_;
};

TEST(SplitVerb, writes_four_files_and_prints_the_counts) {
  const SplitFolder lists;
  const auto outcome = lists.run("out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  // run, Walk, walk, swim, fly
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("5 names became 4 classes"),
                                 HasSubstr("put in another letter case, by samples: Walk 4"),
                                 HasSubstr("schedule text, test union, seed 0")));
  for (const char* name :
       {"out/manifest.csv", "out/classes.csv", "out/counts.csv", "out/split.html"}) {
    EXPECT_TRUE(std::filesystem::exists(lists.file(name))) << name;
  }
  EXPECT_THAT(slurp(lists.file("out/manifest.csv")),
              HasSubstr("a1_000000_000010,run,0,train,known,a1,0,10,k400\n"));
  EXPECT_THAT(slurp(lists.file("out/classes.csv")), HasSubstr("Walk,walk,1,0,0,0\n"));
  ASSERT_EQ(lists.run("again").code, 0);
  EXPECT_EQ(slurp(lists.file("out/manifest.csv")), slurp(lists.file("again/manifest.csv")));
}

TEST(SplitVerb, answers_in_json) {
  const SplitFolder lists;
  write_file(lists.file("lost.txt"), "d1_000000_000010\nnone_000000_000010\n");
  write_file(lists.file("changes.csv"), "from_dataset,to_label\nk400,fly\n");
  const auto outcome =
      lists.run("out", {"--json", "--test", "separate", "--keep-case", "--blacklist",
                        lists.file("lost.txt"), "--label-changes", lists.file("changes.csv")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["classes"], 5);
  EXPECT_EQ(json["total"]["rows"], 12 + 9 + 9);
  EXPECT_EQ(json["total"]["repeated"], 1);
  EXPECT_EQ(json["total"]["lost"], 1);
  EXPECT_EQ(json["total"]["unlabelled"], 1);
  EXPECT_EQ(json["blacklist"]["strays"], 1);
  EXPECT_EQ(json["possible_classes"], nlohmann::json::parse("[3, 5, 5]"));
  ASSERT_EQ(json["increments"].size(), 5U);
  // walk of k600 validates in two increments of two rows; Walk and walk are two classes here.
  EXPECT_EQ(json["increments"][1]["validate"]["novel"], 2);
}

TEST(SplitVerb, says_what_is_wrong_and_writes_nothing) {
  const SplitFolder lists;
  std::filesystem::create_directory(lists.file("full"));
  write_file(lists.file("full/file"), "kept");
  const auto full = lists.run("full");
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, AllOf(HasSubstr("full"), HasSubstr("the folder is not empty")));
  EXPECT_EQ(slurp(lists.file("full/file")), "kept");
  write_file(lists.file("bad.txt"), "abc\n");
  EXPECT_THAT(lists.run("out", {"--blacklist", lists.file("bad.txt")}).err,
              HasSubstr("bad.txt: line 1: \"abc\" is not"));
  EXPECT_EQ(lists.run("out", {"--label-changes", lists.file("absent.csv")}).code, 1);
  EXPECT_FALSE(std::filesystem::exists(lists.file("out")));
  std::filesystem::create_directory(lists.file("empty"));
  EXPECT_EQ(lists.run("empty").code, 0);
}

TEST(SplitVerb, tells_wrong_use_by_code_2) {
  const SplitFolder lists;
  EXPECT_EQ(run_program({"split"}).code, 2);
  EXPECT_EQ(run_program({"split", lists.file("absent.yaml")}).code, 2);  // and no --out
  EXPECT_EQ(run_program({"split", "kowl718", "--out", lists.file("out")}).code, 2);
  EXPECT_EQ(lists.run("out", {"--schedule", "tables"}).code, 2);
  EXPECT_EQ(lists.run("out", {"--increments", "0"}).code, 2);
  EXPECT_EQ(lists.run("out", {"--seed", "-1"}).code, 2);
  EXPECT_THAT(run_program({"split", "kowl718", "--help"}).out, HasSubstr("Example:"));
}

// The shipped file, called otherwise and without its releases' lists.
std::string kowl_yaml(const std::string& name) {
  std::string text = slurp(testing_support::in_tree("/datasets/splits/kowl718.yaml"));
  const auto at = text.find("name: kowl718");
  return text.replace(at, std::string("name: kowl718").size(), name);
}

// A release after k700. d1 is a clip of k600, swim there; jump and Skip are new.
constexpr const char* kK800 =
    "label,youtube_id,time_start,time_end,split\n"
    "dive,d1,0,10,train\njump,h1,0,10,train\njump,h2,0,10,train\njump,h3,0,10,train\n"
    "Skip,h4,0,10,train\nSkip,h5,0,10,train\nglide,h6,0,10,train\njump,h7,0,10,val\n"
    "run,h8,0,10,test\n";

class ExtendedSplit : public SplitFolder {
 public:
  explicit ExtendedSplit(const std::string& release) {
    write_file(file("k800.csv"), kK800);
    write_file(file("more.yaml"), kowl_yaml("name: kowl800\nstream: kowl718") + release);
  }

  [[nodiscard]] testing_support::Outcome run_plan(const std::string& out,
                                                  std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"split", file("more.yaml"), "--out", file(out)};
    for (const std::string release : {"k400", "k600", "k700", "k800"}) {
      words.insert(words.end(), {"--list", release + "=" + file(release + ".csv")});
    }
    for (const char* count : {"1", "2", "3"}) {  // the start has none
      words.insert(words.end(), {"--set", std::string("releases.") + count + ".increments=2"});
    }
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }
};

TEST(SplitPlanVerb, a_later_release_is_appended_to_kowl718) {
  const ExtendedSplit lists("  - name: k800\n    renames: {Skip: hop}\n");
  ASSERT_EQ(lists.run("before").code, 0);
  const auto refused = lists.run_plan("refused", {"--set", "new_names=false"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("more.yaml:"), HasSubstr("releases.3.renames.Skip"),
                                 HasSubstr("\"hop\", which no list has")));
  EXPECT_FALSE(std::filesystem::exists(lists.file("refused")));
  const auto outcome = lists.run_plan("after", {"--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["name"], "kowl800");
  ASSERT_EQ(json["increments"].size(), 7U);
  EXPECT_EQ(json["increments"][6]["dataset"], "k800");
  // jump, glide and hop come last, the most frequent first; dive is a k600 clip's newest name.
  EXPECT_EQ(json["increments"][5]["novel_classes"], 1);
  EXPECT_EQ(json["increments"][6]["novel_classes"], 2);
  EXPECT_EQ(json["total"]["repeated"], 2);  // a1 in k600, d1 in k800
  const std::string manifest = slurp(lists.file("after/manifest.csv"));
  EXPECT_THAT(manifest, HasSubstr("h4_000000_000010,hop,6,train,novel,h4,0,10,k800\n"));
  // First come, first assigned; but the newest release names it.
  EXPECT_THAT(manifest, HasSubstr("d1_000000_000010,dive,"));
  EXPECT_THAT(manifest, testing::Not(HasSubstr("d1,0,10,k800")));
  EXPECT_THAT(slurp(lists.file("after/classes.csv")),
              AllOf(HasSubstr("label,unified_label,in_k400,in_k600,in_k700,in_k800,first_"),
                    HasSubstr("Skip,hop,0,0,0,1,6\n"), HasSubstr("jump,jump,0,0,0,1,5\n")));
}

TEST(SplitPlanVerb, a_release_that_names_nothing_anew_leaves_the_earlier_increments_alone) {
  const ExtendedSplit lists("  - name: k800\n");
  write_file(lists.file("k800.csv"),
             "label,youtube_id,time_start,time_end,split\njump,h1,0,10,train\n"
             "hop,h2,0,10,train\nhop,h3,0,10,test\n");
  ASSERT_EQ(lists.run("before").code, 0);
  const auto outcome = lists.run_plan("after");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string before = slurp(lists.file("before/manifest.csv"));
  EXPECT_TRUE(slurp(lists.file("after/manifest.csv")).starts_with(before));
}

TEST(SplitPlanVerb, a_later_release_supersedes_names_of_all_earlier_ones) {
  const ExtendedSplit lists("  - name: k800\n    supersedes: {run: jump, fly: glide}\n");
  const auto outcome = lists.run_plan("out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string manifest = slurp(lists.file("out/manifest.csv"));
  EXPECT_THAT(manifest, AllOf(HasSubstr("a2_000000_000010,jump,0,train,known"),
                              HasSubstr("f1_000000_000010,glide,"),
                              HasSubstr("h8_000000_000010,run,")));  // k800's own run stays
}

TEST(SplitPlanVerb, an_increment_0_of_two_releases_and_one_release_alone) {
  const ExtendedSplit lists("  - name: k800\n");
  const auto outcome = lists.run_plan("out", {"--set", "start=k600", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["increments"].size(), 5U);
  EXPECT_EQ(json["increments"][0]["dataset"], "k400+k600");
  EXPECT_EQ(json["increments"][0]["validate"]["known"], 4);  // the start is not united
  EXPECT_THAT(slurp(lists.file("out/manifest.csv")),
              HasSubstr("d2_000000_000010,swim,0,train,known,d2,0,10,k600\n"));
  write_file(lists.file("one.yaml"),
             "name: one\ncolumns: {id: youtube_id, start: time_start, end: time_end}\n"
             "releases: [{name: k400, lists: [k400.csv]}]\n");
  const auto alone = run_program({"split", lists.file("one.yaml"), "--out", lists.file("alone")});
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_THAT(slurp(lists.file("alone/counts.csv")), HasSubstr("0,k400,2,0,8,0,0,0,4,0\n"));
}

TEST(SplitPlanVerb, says_what_is_wrong_with_plan_and_lists) {
  const ExtendedSplit lists("  - name: k800\n");
  const auto said = [&](std::vector<std::string> more) {
    const auto outcome = lists.run_plan("out", std::move(more));
    EXPECT_NE(outcome.code, 0);
    EXPECT_FALSE(std::filesystem::exists(lists.file("out")));
    return outcome.err;
  };
  const std::string header = "label,youtube_id,time_start,time_end,split\n";
  write_file(lists.file("repeats.csv"), header + "run,a1,0,10,train\nrun,a2,0,10,test\n");
  const auto emptied = run_program(
      {"split", lists.file("more.yaml"), "--out", lists.file("out"), "--list",
       "k400=" + lists.file("k400.csv"), "--list", "k600=" + lists.file("k600.csv"), "--list",
       "k700=" + lists.file("k700.csv"), "--list", "k800=" + lists.file("repeats.csv")});
  EXPECT_THAT(emptied.err,
              AllOf(HasSubstr("more.yaml:"), HasSubstr("releases.3"),
                    HasSubstr("\"k800\" shows nothing: of its 2 rows 2 are repeated")));
  const auto listless = run_program({"split", lists.file("more.yaml"), "--out", lists.file("out"),
                                     "--list", "k400=" + lists.file("k400.csv")});
  EXPECT_THAT(listless.err, AllOf(HasSubstr("releases.1"), HasSubstr("\"k600\" has no lists")));
  EXPECT_THAT(said({"--list", "k900=x.csv"}), HasSubstr("no release is called \"k900\""));
  EXPECT_THAT(said({"--list", "k800"}), HasSubstr("must be RELEASE=FILE"));
  EXPECT_THAT(said({"--set", "columns.label=class"}),
              AllOf(HasSubstr("k400.csv"), HasSubstr("no column is called \"class\"")));
  EXPECT_THAT(said({"--set", "schedul=table"}), HasSubstr("did you mean \"schedule\"?"));
  EXPECT_THAT(said({"--set", "releases.3.name=k700"}), HasSubstr("\"k700\" already"));
  write_file(lists.file("lost.txt"), "d2_000000_000010\nnone_000000_000010\n");
  EXPECT_THAT(said({"--set", "blacklist=lost.txt", "--set", "strays=refuse"}),
              AllOf(HasSubstr("lost.txt: line 2: \"none_000000_000010\" is no labelled clip"),
                    HasSubstr("1 of 2 lines")));
  const auto counted = lists.run_plan("counted", {"--set", "blacklist=lost.txt"});
  EXPECT_EQ(counted.code, 0) << counted.err;
  EXPECT_THAT(counted.out, HasSubstr("2 lines, 1 of them match no labelled clip"));
  EXPECT_THAT(run_program({"split", "kowl781", "--out", lists.file("out")}).err,
              HasSubstr("did you mean \"kowl718\"?"));
}

TEST(SplitPlanVerb, features_of_the_clips_make_a_dataset_of_the_split) {
  const SplitFolder lists;
  ASSERT_EQ(lists.run("features").code, 0);
  const CsvTable manifest = CsvTable::load(lists.file("features/manifest.csv"));
  Matrix rows(manifest.rows(), 2);
  std::string ids;
  for (Index row = 0; row < manifest.rows(); ++row) {  // the other way round
    const Index other = manifest.rows() - 1 - row;
    ids += std::string(manifest.text(other, 0)) + "\n";
    rows.row(row) << static_cast<float>(other), 1.0F;
  }
  write_npy(lists.file("features/x3d.npy"), rows);
  write_file(lists.file("features/x3d_ids.txt"), ids);
  const auto outcome = run_program({"data", "import", "kinetics_features", lists.file("features"),
                                    "--out", lists.file("dataset")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Dataset data = load_dataset(lists.file("dataset"));
  ASSERT_EQ(data.table.size(), manifest.rows());
  EXPECT_EQ(data.table.id, manifest.texts(0));
  EXPECT_EQ(data.table.annotations.at("increment"), manifest.texts(manifest.column("increment")));
  Matrix third(1, 2);
  data.store->gather("x3d", std::vector<Index>{2}, third);
  EXPECT_EQ(third(0, 0), 2);
}

TEST(SplitPlanVerb, the_help_names_the_keys_and_explain_tells_them) {
  EXPECT_THAT(run_program({"split", "--help"}).out,
              AllOf(HasSubstr("releases.N.supersedes"), HasSubstr("merge_case"),
                    HasSubstr("Examples:"), HasSubstr("kowl718")));
  EXPECT_THAT(run_program({"explain", "split"}).out,
              AllOf(HasSubstr("recent_first"), HasSubstr("releases.N.renames")));
}

}  // namespace
}  // namespace tyto
