// SPDX-License-Identifier: Apache-2.0
// What somebody does in the first hour: describe a table, learn it, predict another, score that.
#include <algorithm>

#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

class FirstHour : public testing::Test {
 protected:
  Scratch scratch;

  Outcome tyto(const std::vector<std::string>& arguments) const {
    return run_program(arguments, {scratch.path(), {}, RLIM_INFINITY, ""});
  }

  void put(const std::string& name, const std::string& text) const {
    write_file(scratch / name, text);
  }

  // Trees of three species, ten units apart in height, with semicolons and decimal commas.
  static std::string trees(int from, int to, char separator = ';') {
    const auto number = [&](double value) {
      std::string text = std::to_string(value);
      if (separator == ';') {
        text.replace(text.find('.'), 1, ",");
      }
      return text;
    };
    std::string text = "tree_id;species;height;girth\n";
    for (int i = from; i < to; ++i) {
      const std::string cells[] = {"t" + std::to_string(i),
                                   i % 3 == 0   ? "oak"
                                   : i % 3 == 1 ? "elm"
                                                : "fir",
                                   number(10.0 * (i % 3) + (i * 37 % 11) / 9.0),
                                   number((i * 53 % 13) / 5.0)};
      text += cells[0] + ";" + cells[1] + ";" + cells[2] + ";" + cells[3] + "\n";
    }
    std::replace(text.begin(), text.end(), ';', separator);
    return text;
  }
};

TEST_F(FirstHour, init_says_what_it_took_for_what_and_writes_a_dataset) {
  put("trees.csv", trees(0, 90));
  const Outcome outcome = tyto({"data", "init", "trees.csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("trees.csv: 90 rows, 4 columns"), HasSubstr("id        tree_id"),
                    HasSubstr("label     species"), HasSubstr("3 classes of 30"),
                    HasSubstr("features  2: height, girth")));
  const Outcome shown = tyto({"data", "show", "."});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("90 samples, 3 classes"), HasSubstr("sample t0: oak")));
  const std::string written = slurp(scratch / "dataset.yaml");
  EXPECT_EQ(tyto({"data", "init", "trees.csv"}).code, 2);  // it is there already
  EXPECT_EQ(slurp(scratch / "dataset.yaml"), written);
  EXPECT_EQ(tyto({"data", "init", "trees.csv", "--force"}).code, 0);
  const Outcome typo = tyto({"data", "init", "trees.csv", "--force", "--label", "spcies"});
  EXPECT_EQ(typo.code, 2);
  EXPECT_THAT(typo.err, HasSubstr("did you mean \"species\""));
  const Outcome ignoring =
      tyto({"data", "init", "trees.csv", "--out", "less.yaml", "--ignore", "girth", "tree_id"});
  ASSERT_EQ(ignoring.code, 0) << ignoring.err;
  EXPECT_THAT(ignoring.out, HasSubstr("features  1: height"));
}

TEST_F(FirstHour, a_table_is_the_data_of_an_experiment_where_its_columns_are_plain) {
  std::string odd = trees(0, 120, ',');
  put("trees.csv", odd.replace(0, 7, "tree"));
  put("e.yaml",
      "name: e\nprior_knowledge: none\ndata: trees.csv\nworld: {kind: increments, start: {classes: "
      "2}, increments: 1}\npredictors: [ncm]\n");
  const Outcome refused = tyto({"run", "e.yaml", "--quiet"});
  EXPECT_EQ(refused.code, 1);  // is it a name?
  EXPECT_THAT(refused.err, AllOf(HasSubstr("\"tree\" is no feature: line 2 holds \"t0\""),
                                 HasSubstr("tyto data init trees.csv")));
  put("trees.csv", trees(0, 120, '\t'));
  const Outcome ran = tyto({"run", "e.yaml", "--quiet", "--no-report"});
  EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(FirstHour, learn_predict_and_measure_follow_one_another) {
  put("trees.csv", trees(0, 150));
  const Outcome learned =
      tyto({"learn", "trees.csv", "--preset", "slda", "--set", "accepted_error=0.1", "--out",
            "trees.npz", "--threads", "1", "--quiet", "--json"});
  ASSERT_EQ(learned.code, 0) << learned.err;
  const auto told = nlohmann::json::parse(learned.out);
  EXPECT_EQ(told["samples"], 150);
  EXPECT_EQ(told["classes"], nlohmann::json({"elm", "fir", "oak"}));
  EXPECT_GT(told["right_if_named"]["value"], 0.99);  // ten units apart
  EXPECT_LT(told["false_alarms"]["value"], 0.3);
  EXPECT_EQ(told["right"]["samples"], 150);  // each was left out once
  EXPECT_EQ(told["new_noticed"]["samples"], 150);
  EXPECT_LE(told["right"]["low"], told["right"]["value"]);
  // The new table has the same columns in another order; its ids and classes are no features.
  put("new.csv", trees(150, 180));
  const Outcome said = tyto({"predict", "trees.npz", "new.csv"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(StartsWith("id,label,"), HasSubstr("\nt150,oak,")));
  put("answers.csv", said.out);
  const Outcome measured =
      tyto({"measure", "answers.csv", "--labels", "new.csv", "--csv", "--quiet"});
  ASSERT_EQ(measured.code, 0) << measured.err;
  EXPECT_THAT(measured.out, HasSubstr("known_accuracy"));
  const Outcome without = tyto({"measure", "answers.csv"});
  EXPECT_EQ(without.code, 1);
  EXPECT_THAT(without.err, HasSubstr("holds what `tyto predict` said, and not the actual classes; "
                                     "--labels"));
}

TEST_F(FirstHour, learning_is_the_same_for_the_same_seed) {
  put("t.csv", trees(0, 60));
  ASSERT_EQ(tyto({"data", "init", "t.csv", "--id", "tree_id"}).code, 0);
  for (const char* name : {"a.npz", "b.npz"}) {
    ASSERT_EQ(tyto({"learn", "t.csv", "--preset", "ncm", "--out", name, "--threads", "1", "--folds",
                    "0", "--quiet"})
                  .code,
              0);
  }
  EXPECT_EQ(slurp(scratch / "a.npz"), slurp(scratch / "b.npz"));
}

TEST_F(FirstHour, one_class_or_no_labels_are_learned_too) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 80; ++i) {
    rows +=
        std::to_string((i * 37 % 41) / 40.0) + "," + std::to_string((i * 53 % 43) / 42.0) + "\n";
  }
  put("normal.csv", rows);
  const Outcome learned = tyto({"learn", "normal.csv", "--out", "m.npz", "--threads", "1"});
  ASSERT_EQ(learned.code, 0) << learned.err;
  EXPECT_THAT(learned.out,
              AllOf(HasSubstr("80 samples of 1 class"), HasSubstr("no sample has a label"),
                    HasSubstr("false alarms"), HasSubstr("fewer than three classes")));
  put("new.csv", "x,y\n0.5,0.5\n90,-90\n");
  const Outcome said = tyto({"predict", "m.npz", "new.csv"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("\n1,normal,"), HasSubstr("\n2,unknown,")));
}

TEST_F(FirstHour, measure_finds_samples_by_their_row_and_leaves_unlabelled_ones_out) {
  put("answers.csv",
      "row,label,probability,novelty,p_value,novel,class_1,probability_1\n"
      "1,A,0.9,0.1,0.5,0,A,0.9\n2,B,0.9,0.1,0.5,0,B,0.9\n3,unknown,0.9,5,0.01,1,unknown,0.9\n");
  put("truth.csv", "x,class\n5,A\n6,A\n7,\n");
  const Outcome measured = tyto({"measure", "answers.csv", "--labels", "truth.csv", "--known",
                                 "A,B", "--measures", "accuracy"});
  ASSERT_EQ(measured.code, 0) << measured.err;
  EXPECT_THAT(measured.out,
              AllOf(HasSubstr("answers.csv: 2 samples"), HasSubstr("by number of the row"),
                    HasSubstr("1 samples without an actual class are left out"), HasSubstr("0.500"),
                    HasSubstr("decisions: column \"label\"")));
  put("few.csv", "class\nA\nA\n");
  const Outcome few = tyto({"measure", "answers.csv", "--labels", "few.csv"});
  EXPECT_EQ(few.code, 1);
  EXPECT_THAT(few.err, HasSubstr("few.csv has no such sample"));
}

TEST_F(FirstHour, cluster_writes_ids_and_leaves_columns_out) {
  put("t.csv", "name;note;x;y\na;p;0;1\nb;q;0;2\n\"c;d\";r;1;0\ne;s;2;0\n");
  const Outcome outcome = tyto({"cluster", "t.csv", "--id-column", "name", "--ignore", "note",
                                "--metric", "cosine", "--out", "out.csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(slurp(scratch / "out.csv"), "id,level_0\na,0\nb,0\nc;d,1\ne,1\n");
  const Outcome words = tyto({"cluster", "t.csv", "--out", "out.csv"});
  EXPECT_EQ(words.code, 1);
  EXPECT_THAT(words.err, AllOf(HasSubstr("line 2, column \"name\": \"a\" is not a number"),
                               HasSubstr("--ignore")));
  put("bare.csv", "0,1\n0,2\n");
  EXPECT_THAT(tyto({"cluster", "bare.csv", "--ignore", "x", "--out", "out.csv"}).err,
              HasSubstr("has no column names"));
}

TEST_F(FirstHour, verbs_and_options_are_spelled_for_you) {
  const auto complaint = [&](const std::vector<std::string>& words) {
    const Outcome outcome = tyto(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(complaint({"rn"}), HasSubstr("there is no \"tyto rn\" (did you mean \"run\"?)"));
  EXPECT_THAT(complaint({"run", "--hlep"}),
              HasSubstr("tyto run has no option \"--hlep\" (did you mean \"--help\"?)"));
  EXPECT_THAT(complaint({"run", "e.yaml", "--treads=3"}), HasSubstr("did you mean \"--threads\""));
  EXPECT_THAT(complaint({"data", "shwo", "digits"}),
              HasSubstr("there is no \"tyto data shwo\" (did you mean \"show\"?)"));
  EXPECT_THAT(complaint({"zzzzzzzz"}),
              AllOf(HasSubstr("there is no \"tyto zzzzzzzz\""), Not(HasSubstr("did you mean"))));
  EXPECT_THAT(complaint({"run"}), HasSubstr("experiment is required"));
  EXPECT_THAT(complaint({"run-am"}), Not(HasSubstr("run-arm")));
}

TEST_F(FirstHour, a_damaged_run_is_told_in_words_of_our_own) {
  std::filesystem::create_directories(scratch / "runs/e");
  for (const auto& [text, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"", "it is empty"},
           {"{\"tyto_run\": 2,\n \"name\": ", "line 2 is no JSON"},
           {"{\"tyto_run\": 2, \"name\": \"e\"}", "it lacks \"version\""},
           {"{\"tyto_run\": 2, \"name\": [3]}", "it has [3] for \"name\""},
           {"[]", "it lacks \"tyto_run\""}}) {
    put("runs/e/run.json", text);
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"predict", "runs/e", "x.csv"}, {"measure", "runs/e"}}) {
      const Outcome outcome = tyto(verb);
      EXPECT_EQ(outcome.code, 1);
      EXPECT_THAT(outcome.err,
                  AllOf(HasSubstr("runs/e/run.json: not the file of a run, or damaged"),
                        HasSubstr(sentence), Not(HasSubstr("json.exception"))));
    }
  }
}

}  // namespace
}  // namespace tyto
