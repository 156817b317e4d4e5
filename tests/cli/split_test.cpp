// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/files.hpp"

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

TEST(SplitVerb, writes_three_files_and_prints_the_counts) {
  const SplitFolder lists;
  const auto outcome = lists.run("out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  // run, Walk, walk, swim, fly
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("5 names became 4 classes"),
                                 HasSubstr("put in another letter case, by samples: Walk 4"),
                                 HasSubstr("schedule text, test union, seed 0")));
  for (const char* name : {"out/manifest.csv", "out/classes.csv", "out/counts.csv"}) {
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
  EXPECT_EQ(run_program({"split", "kowl718", "--out", lists.file("out")}).code, 2);
  EXPECT_EQ(lists.run("out", {"--schedule", "tables"}).code, 2);
  EXPECT_EQ(lists.run("out", {"--increments", "0"}).code, 2);
  EXPECT_EQ(lists.run("out", {"--seed", "-1"}).code, 2);
  EXPECT_THAT(run_program({"split", "kowl718", "--help"}).out, HasSubstr("Example:"));
}

}  // namespace
}  // namespace tyto
