// SPDX-License-Identifier: Apache-2.0
// tyto detect as a user runs it.
#include <cmath>
#include <filesystem>
#include <sstream>

#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/report/page/pictures/png.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

// Points of a square grid are normal, two of six new ones are not.
class DetectFolder {
 public:
  DetectFolder() {
    std::string train = "x,y\n";
    for (int i = 0; i < 20; ++i) {
      for (int j = 0; j < 20; ++j) {
        train += std::to_string(i) + "," + std::to_string(j) + "\n";
      }
    }
    put("train.csv", train);
    put("new.csv", "x,y\n3,4\n3,4\n10,10.5\n40,10\n0,19\n-1,60\n");
  }

  void put(std::string_view name, const std::string& text) const {
    write_file(scratch_ / name, text);
  }

  [[nodiscard]] std::string file(std::string_view name) const { return (scratch_ / name).string(); }

  [[nodiscard]] Outcome run(const std::string& train, const std::string& fresh,
                            std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"detect", file(train),     file(fresh),
                                       "--out",  file("out.csv"), "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  // The scores of a call that must succeed.
  [[nodiscard]] std::string scores(const std::string& train, const std::string& fresh,
                                   std::vector<std::string> more = {}) const {
    const Outcome outcome = run(train, fresh, std::move(more));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return slurp(file("out.csv"));
  }

  // What a call that must fail says.
  [[nodiscard]] std::string refusal(const std::string& train, const std::string& fresh,
                                    std::vector<std::string> more = {}) const {
    const Outcome outcome = run(train, fresh, std::move(more));
    EXPECT_NE(outcome.code, 0);
    EXPECT_FALSE(std::filesystem::exists(file("out.csv")));
    return outcome.err;
  }

 private:
  Scratch scratch_;
};

TEST(DetectVerb, gives_every_new_row_a_novelty_a_p_value_and_a_decision) {
  const DetectFolder folder;
  const Outcome outcome = folder.run("train.csv", "new.csv", {"--detector", "knn"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const CsvTable table = CsvTable::load(folder.file("out.csv"));
  EXPECT_THAT(table.columns(), testing::ElementsAre("row", "novelty", "p_value", "novel"));
  EXPECT_THAT(table.texts(table.column("novel")),
              testing::ElementsAre("0", "0", "0", "1", "0", "1"));
  // 5 neighbours of (40, 10) by k = 5: (19, 10), (19, 9), (19, 11), then (19, 8) and (19, 12). The
  // deviation of 0 .. 19 is sqrt(33.25).
  EXPECT_NEAR(table.number(3, 1), std::hypot(21, 2) / std::sqrt(33.25), 1e-5);
  EXPECT_NEAR(table.number(3, 2), 1.0 / 401.0, 1e-6);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("2 of 6 rows are novel, by knn from 400 rows of 2")));
}

TEST(DetectVerb, finds_columns_by_name_in_whatever_order) {
  const DetectFolder folder;
  folder.put("turned.csv", "y,name,x\n4,a,3\n4,b,3\n10.5,c,10\n10,d,40\n19,e,0\n60,f,-1\n");
  const std::string straight = folder.scores("train.csv", "new.csv");
  EXPECT_EQ(folder.scores("train.csv", "turned.csv", {"--ignore", "name"}), straight);
}

TEST(DetectVerb, names_rows_by_a_column) {
  const DetectFolder folder;
  folder.put("named_train.csv", "id,x\na,1\nb,2\nc,3\n");
  folder.put("named.csv", "x,id\n2,\"first, one\"\n90,second\n");
  const std::string text =
      folder.scores("named_train.csv", "named.csv", {"--id-column", "id", "--detector", "knn"});
  EXPECT_THAT(
      text, AllOf(StartsWith("id,novelty,p_value,novel\n\"first, one\","), HasSubstr("\nsecond,")));
}

TEST(DetectVerb, reads_packed_tables_and_writes_the_same_bytes_again_and_on_other_threads) {
  const DetectFolder folder;
  write_gz(folder.file("train.csv.gz"), slurp(folder.file("train.csv")));
  write_gz(folder.file("new.csv.gz"), slurp(folder.file("new.csv")));
  for (const std::vector<std::string>& kind :
       {std::vector<std::string>{}, std::vector<std::string>{"--contaminated", "0.05"}}) {
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.end(), kind.begin(), kind.end());
      return more;
    };
    const std::string first = folder.scores("train.csv", "new.csv", with({"--threads", "1"}));
    EXPECT_EQ(folder.scores("train.csv.gz", "new.csv.gz", with({"--threads", "1"})), first);
    EXPECT_EQ(folder.scores("train.csv", "new.csv", with({"--threads", "2"})), first);
  }
}

TEST(DetectVerb, is_continued_by_predict_with_what_it_saved) {
  const DetectFolder folder;
  const std::string scores =
      folder.scores("train.csv", "new.csv", {"--save", folder.file("model.npz")});
  const Outcome said =
      run_program({"predict", folder.file("model.npz"), folder.file("new.csv"), "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const CsvTable table = CsvTable::parse(scores, "scores");
  std::istringstream lines(said.out);
  Index row = 0;
  for (std::string line; std::getline(lines, line); ++row) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["novelty"].get<float>(), static_cast<float>(table.number(row, 1)));
    EXPECT_NEAR(json["p_value"].get<double>(), table.number(row, 2), 1e-6);
    EXPECT_EQ(json["novel"].get<bool>(), table.number(row, 3) == 1.0);
  }
  EXPECT_EQ(row, 6);
}

TEST(DetectVerb, warns_of_ties) {
  const DetectFolder folder;
  const Outcome outcome = folder.run("train.csv", "train.csv", {"--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["rows"], 400);
  EXPECT_LT(json["distinct_scores"], 20);
  EXPECT_GT(json["largest_tie"], 100);
  EXPECT_THAT(json["notes"].dump(), AllOf(HasSubstr("ties: "), HasSubstr("are one file")));
}

TEST(DetectVerb, warns_of_drift_and_names_the_column_that_moved) {
  const DetectFolder folder;
  std::string moved = "x,y\n";
  for (int i = 0; i < 300; ++i) {
    moved += std::to_string(i % 20) + "," + std::to_string(40 + i % 17) + "\n";
  }
  folder.put("moved.csv", moved);
  const Outcome outcome = folder.run("train.csv", "moved.csv", {"--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["alarms"], 300);
  ASSERT_EQ(json["shifted_columns"].size(), 1U);
  EXPECT_EQ(json["shifted_columns"][0]["column"], "y");
  EXPECT_EQ(json["shifted_columns"][0]["distance"], 1.0);
  EXPECT_THAT(json["notes"].dump(), AllOf(HasSubstr("100 % of the rows"), HasSubstr("drifted")));
}

TEST(DetectVerb, tells_which_column_makes_a_row_unusual) {
  const DetectFolder folder;
  const Outcome outcome = folder.run("train.csv", "new.csv", {"--why", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto why = nlohmann::json::parse(outcome.out)["why"];
  ASSERT_EQ(why.size(), 6U);
  EXPECT_EQ(why[0]["row"], "6");
  EXPECT_EQ(why[0]["columns"][0]["column"], "y");
  EXPECT_GT(why[0]["columns"][0]["share"], 0.9);
  EXPECT_EQ(why[1]["row"], "4");
  EXPECT_EQ(why[1]["columns"][0]["column"], "x");
}

TEST(DetectVerb, raises_no_more_alarms_than_the_budget_has) {
  const DetectFolder folder;
  const Outcome outcome = folder.run("train.csv", "new.csv",
                                     {"--alarms-per-day", "1", "--rows-per-day", "6", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["alarms"], 1);
}

TEST(DetectVerb, weighs_costs_when_it_knows_how_often_something_is_novel) {
  const DetectFolder folder;
  const auto alarms = [&](const std::string& cost) {
    const Outcome outcome =
        folder.run("train.csv", "new.csv", {"--cost", cost, "--frequency", "0.05", "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["alarms"].get<int>();
  };
  EXPECT_EQ(alarms("1:1"), 2);
  EXPECT_EQ(alarms("100000:1"), 6);
  EXPECT_THAT(folder.run("train.csv", "new.csv", {"--cost", "1:1"}).err,
              HasSubstr("6 rows cannot tell (100 can): give --frequency"));
}

TEST(DetectVerb, takes_one_column_a_constant_one_and_one_new_row) {
  const DetectFolder folder;
  folder.put("one.csv", "x\n1\n2\n3\n4\n5\n");
  folder.put("one_new.csv", "x\n90\n");
  EXPECT_THAT(folder.scores("one.csv", "one_new.csv"), HasSubstr(",1\n"));
  folder.put("same.csv", "x,c\n1,7\n2,7\n3,7\n4,7\n");
  folder.put("same_new.csv", "x,c\n2,7\n90,7\n");
  EXPECT_THAT(folder.scores("same.csv", "same_new.csv"), HasSubstr("\n2,"));
  for (const char* kind : {"tyto-detect", "tyto-detect-mixed", "mahalanobis"}) {
    folder.put("alike.csv", "x\n5\n5\n5\n");
    const std::string text = folder.scores("alike.csv", "one_new.csv", {"--detector", kind});
    EXPECT_THAT(text, StartsWith("row,novelty,p_value,novel\n1,")) << kind;
  }
}

TEST(DetectVerb, refuses_what_it_cannot_use_and_says_where_it_is) {
  const DetectFolder folder;
  folder.put("hole.csv", "x,y\n1,2\n1,\n");
  EXPECT_THAT(folder.refusal("train.csv", "hole.csv"),
              AllOf(HasSubstr("hole.csv: line 3, column \"y\""), HasSubstr("--missing median")));
  EXPECT_THAT(folder.refusal("hole.csv", "new.csv"), HasSubstr("line 3, column \"y\""));
  folder.put("nan.csv", "x,y\n1,nan\n");
  EXPECT_THAT(folder.refusal("train.csv", "nan.csv"), HasSubstr("line 2, column \"y\": \"nan\""));
  folder.put("words.csv", "x,y\n1,red\n");
  EXPECT_THAT(folder.refusal("train.csv", "words.csv", {"--missing", "median"}),
              AllOf(HasSubstr("\"red\" is not a finite number"), HasSubstr("--ignore")));
  folder.put("other.csv", "x,z\n1,2\n");
  EXPECT_THAT(folder.refusal("train.csv", "other.csv"), HasSubstr("there is no column \"y\""));
  folder.put("more.csv", "x,y,z\n1,2,3\n");
  EXPECT_THAT(folder.refusal("train.csv", "more.csv"),
              AllOf(HasSubstr("column \"z\" is none"), HasSubstr("--ignore")));
  folder.put("empty.csv", "");
  EXPECT_THAT(folder.refusal("empty.csv", "new.csv"), HasSubstr("has 0 rows"));
  EXPECT_THAT(folder.refusal("train.csv", "empty.csv"), HasSubstr("empty.csv: has no rows"));
  folder.put("single.csv", "x,y\n1,2\n");
  EXPECT_THAT(folder.refusal("single.csv", "new.csv"), HasSubstr("has 1 row; "));
  folder.put("twice.csv", "x,x\n1,2\n3,4\n");
  EXPECT_THAT(folder.refusal("twice.csv", "new.csv"), HasSubstr("two columns are called \"x\""));
  EXPECT_THAT(folder.refusal("train.csv", "new.csv", {"--ignore", "w"}),
              HasSubstr("--ignore w: neither "));
  EXPECT_THAT(folder.refusal("train.csv", "new.csv", {"--detector", "knm"}),
              HasSubstr("did you mean \"knn\""));
  EXPECT_THAT(folder.refusal("train.csv", "new.csv", {"--contaminated", "2"}),
              HasSubstr("--contaminated 2: is to be the share"));
  EXPECT_THAT(folder.refusal("train.csv", "missing.csv"),
              HasSubstr("missing.csv: cannot be opened"));
  folder.put("cut.csv.gz", gzip(slurp(folder.file("train.csv"))).substr(0, 60));
  EXPECT_THAT(folder.refusal("cut.csv.gz", "new.csv"), HasSubstr("cannot be unpacked"));
}

TEST(DetectVerb, looks_at_pictures_by_their_pixels_where_there_is_no_network) {
  const DetectFolder folder;
  const auto picture = [&](const std::string& name, int grey) {
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < 4; ++i) {
      pixels.push_back(static_cast<std::uint8_t>(grey + i));
    }
    folder.put(name, grey_png(pixels, 2, 2));
  };
  std::filesystem::create_directories(folder.file("seen"));
  std::filesystem::create_directories(folder.file("fresh"));
  for (int i = 0; i < 12; ++i) {
    picture("seen/a" + std::to_string(i) + "x.png", 100 + i);
  }
  picture("fresh/like.png", 105);
  picture("fresh/white.png", 250);
  const Outcome outcome = folder.run("seen", "fresh", {"--pixels", "2", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const CsvTable table = CsvTable::load(folder.file("out.csv"));
  EXPECT_THAT(table.texts(0), testing::ElementsAre("like", "white"));
  EXPECT_THAT(table.texts(3), testing::ElementsAre("0", "1"));
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["columns"], 12);
}

TEST(DetectVerb, names_the_patch_that_makes_a_picture_unusual) {
  const DetectFolder folder;
  const auto picture = [&](const std::string& name, int grey, bool spot) {
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < 256; ++i) {
      const bool inside = spot && i / 16 / 2 == 3 && i % 16 / 2 == 5;  // rows 6, 7; columns 10, 11
      pixels.push_back(static_cast<std::uint8_t>(inside ? 250 : grey + (i * 7 + grey) % 5));
    }
    folder.put(name, grey_png(pixels, 16, 16));
  };
  std::filesystem::create_directories(folder.file("seen"));
  std::filesystem::create_directories(folder.file("fresh"));
  for (int i = 0; i < 30; ++i) {
    picture("seen/a" + std::to_string(i) + "x.png", 100 + i % 6, false);
  }
  picture("fresh/spot.png", 102, true);
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--detector", "knn", "--why"});
    return folder.run("seen", "fresh", more);
  };
  const Outcome json = run({"--json"});
  ASSERT_EQ(json.code, 0) << json.err;
  const auto why = nlohmann::json::parse(json.out)["why"][0]["columns"][0];
  EXPECT_EQ(why["column"], "patch at row 6, column 10 (2 x 2 of 16 x 16 pixels)");
  EXPECT_GT(why["share"], 0.9);
  EXPECT_NEAR(why["value"], 250.0, 0.5);
  EXPECT_LT(why["usual"], 120.0);
  EXPECT_THAT(run({}).out, HasSubstr("patch at row 6, column 10 (2 x 2 of 16 x 16 pixels) = 250"));
}

}  // namespace
}  // namespace tyto
