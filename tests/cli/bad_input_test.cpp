// SPDX-License-Identifier: Apache-2.0
// The mistakes people make: one sentence that names the place and the rule, exit code 1 or 2, and
// nothing half-written.
#include <cmath>

#include "support/program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::Conditions;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;

class BadInput : public testing::Test {
 protected:
  Scratch scratch;

  Conditions here() const { return {scratch.path(), {}, RLIM_INFINITY, ""}; }

  // A dataset `toy` of `classes` classes with 20 samples each, two features.
  void make_dataset(int classes, const std::string& odd_cell = "", const std::string& split = "",
                    const std::string& name = "toy", int width = 2) const {
    std::filesystem::create_directories(scratch / ("datasets/" + name));
    std::string csv = "id,label,split";
    for (int j = 0; j < width; ++j) {
      csv += ",x" + std::to_string(j);
    }
    csv += "\n";
    for (int i = 0; i < classes * 20; ++i) {
      const int c = i % classes;
      csv += name + std::to_string(i) + ",c" + std::to_string(c) + "," +
             (split.empty() ? (i / classes % 4 == 0 ? "test" : "train") : split);
      for (int j = 0; j < width; ++j) {
        const bool odd = i == 7 && j == 1 && !odd_cell.empty();
        csv += "," + (odd ? odd_cell : std::to_string(c * 3 + std::sin(i * 7.0 + j)));
      }
      csv += "\n";
    }
    write_file(scratch / ("datasets/" + name + "/index.csv"), csv);
    write_file(scratch / ("datasets/" + name + "/dataset.yaml"),
               "name: " + name +
                   "\nindex: index.csv\nfeatures:\n  - {source: features, columns: [x0.." + "x" +
                   std::to_string(width - 1) + "]}\n");
  }

  void make_experiment(const std::string& more = "", const std::string& world = "",
                       const std::string& predictors = "[ncm]") const {
    write_file(scratch / "e.yaml",
               "name: e\nprior_knowledge: none\ndata: toy\nworld: {kind: increments, "
               "increments: 2" +
                   world + "}\npredictors: " + predictors + "\n" + more);
  }

  Outcome run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"run", "e.yaml", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, here());
  }

  void expect_refused(const Outcome& outcome, int code,
                      const std::vector<std::string>& sentences) const {
    EXPECT_EQ(outcome.code, code) << outcome.err;
    for (const std::string& sentence : sentences) {
      EXPECT_THAT(outcome.err, HasSubstr(sentence));
    }
    EXPECT_THAT(outcome.err, Not(HasSubstr("internal error")));
    EXPECT_EQ(outcome.out, "");
  }

  void expect_no_run() const { EXPECT_FALSE(std::filesystem::exists(scratch / "runs/e/run.json")); }
};

TEST_F(BadInput, the_good_case_works) {  // or nothing below would mean anything
  make_dataset(4);
  make_experiment();
  const Outcome outcome = run();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("ncm"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "runs/e/measures.csv"));
}

TEST_F(BadInput, a_missing_experiment_is_named) {
  expect_refused(run_program({"run", "nowhere.yaml"}, here()), 1, {"nowhere.yaml", "No such file"});
}

TEST_F(BadInput, a_missing_dataset_is_named_with_those_there_are) {
  make_dataset(4, "", "", "toys");
  make_experiment();
  expect_refused(run(), 2, {"toy", "did you mean \"toys\"", "letters"});
  expect_no_run();
}

TEST_F(BadInput, a_missing_feature_file_is_named) {
  make_dataset(4);
  write_file(scratch / "datasets/toy/dataset.yaml",
             "name: toy\nindex: index.csv\nfeatures:\n  - {source: features, file: f.npy}\n");
  make_experiment();
  expect_refused(run(), 1, {"f.npy"});
  expect_no_run();
}

TEST_F(BadInput, an_unknown_key_is_named_with_its_line_and_likely_spelling) {
  make_dataset(4);
  make_experiment("sede: 3\n");
  expect_refused(run(), 2, {"e.yaml:6:7: sede: unknown key", "did you mean \"seed\""});
  make_experiment("", ", incremets: 3");
  expect_refused(run(), 2, {"e.yaml:4", "world.incremets: unknown key"});
  expect_no_run();
}

TEST_F(BadInput, an_unknown_part_or_preset_is_named_with_those_there_are) {
  make_dataset(4);
  make_experiment("", "", "[{name: mine, classifier: nmc}]");
  expect_refused(run(), 2, {"predictors.0.classifier", "\"nmc\"", "did you mean \"ncm\""});
  make_experiment("", "", "[sldaa]");
  expect_refused(run(), 2, {"predictors.0.preset", "did you mean \"slda\""});
  make_experiment("", "", "[{name: mine, classifier: {name: ridge, strenght: 1}}]");
  expect_refused(run(), 2, {"predictors.0.classifier.strenght: unknown key", "\"strength\""});
  expect_no_run();
}

TEST_F(BadInput, parts_that_cannot_work_together_are_refused_with_the_reason) {
  make_dataset(4);
  make_experiment("", "", "[{name: mine, detector: softmax}]");
  expect_refused(run(), 2, {"detector", "classifier is empty"});
}

TEST_F(BadInput, a_value_outside_its_range_is_named) {
  make_dataset(4);
  make_experiment("feedback: [0.5, 1.5]\n");
  expect_refused(run(), 2, {"feedback: 1.5 is outside [0, 1]"});
  make_experiment();
  expect_refused(run({"--set", "world.increments=-1"}), 2, {"world.increments"});
  expect_refused(run({"--set", "nonsense"}), 2, {"--set nonsense", "key=value"});
  expect_refused(run({"--set", "=4"}), 2, {"--set =4", "key=value"});
  EXPECT_EQ(run({"--set", "world.incremets=4"}).err,
            "tyto: --set world.incremets: world.incremets: unknown key; did you mean "
            "\"increments\"?\n");
  expect_refused(run({"--set", "world={kind: incremets}"}), 2,
                 {"world: no world is called \"incremets\" (did you mean \"increments\"?)"});
}

TEST_F(BadInput, prior_knowledge_must_be_stated) {
  make_dataset(4);
  write_file(scratch / "e.yaml",
             "name: e\ndata: toy\nworld: {kind: increments}\npredictors: [ncm]\n");
  expect_refused(run(), 2, {"prior_knowledge", "missing"});
}

TEST_F(BadInput, a_feature_that_is_no_number_is_found_by_row_and_column) {
  make_dataset(4, "many");
  make_experiment();
  expect_refused(run(), 1, {"index.csv", "9", "x1", "many"});  // line 9: the header is line 1
  expect_no_run();
}

TEST_F(BadInput, features_that_are_not_finite_are_refused) {
  make_dataset(4, "nan");
  make_experiment();
  const Outcome outcome = run();
  expect_refused(outcome, 1, {"toy: sample \"toy7\"", "nan", "x1", "finite numbers"});
  expect_no_run();
  const Outcome shown = run_program({"data", "show", "toy"}, here());
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(shown.out, HasSubstr("problem"));
}

TEST_F(BadInput, datasets_of_different_width_do_not_make_a_series) {
  make_dataset(4);
  make_dataset(4, "", "", "wide", 3);
  make_experiment();
  expect_refused(run({"--set", "data=[toy, wide]"}), 1, {"toy", "wide", "2", "3"});
  expect_no_run();
}

TEST_F(BadInput, an_empty_split_is_refused) {
  make_dataset(4, "", "test");  // nothing to train on
  make_experiment();
  expect_refused(run(), 1, {"train"});
  expect_no_run();
}

TEST_F(BadInput, one_class_only_is_refused) {
  make_dataset(1);
  make_experiment();
  expect_refused(run(), 1, {"class"});
  expect_no_run();
}

TEST_F(BadInput, a_run_that_is_there_is_neither_overwritten_nor_mixed) {
  make_dataset(4);
  make_experiment();
  ASSERT_EQ(run().code, 0);
  const std::string before = testing_support::slurp(scratch / "runs/e/measures.csv");
  expect_refused(run(), 1, {"holds a run already", "--resume", "--force"});
  expect_refused(run({"--resume", "--seed", "9"}), 1, {"another experiment"});
  EXPECT_EQ(testing_support::slurp(scratch / "runs/e/measures.csv"), before);
  EXPECT_EQ(run({"--force"}).code, 0);
  const Outcome anew = run({"--resume", "--out", "runs/none"});
  EXPECT_EQ(anew.code, 0);
  EXPECT_THAT(anew.err, HasSubstr("runs/none: no run has begun there; starting from"));
}

TEST_F(BadInput, a_folder_in_use_by_another_process_is_left_alone) {
  make_dataset(4);
  make_experiment();
  std::filesystem::create_directories(scratch / "runs/e");
  const FolderLock lock(scratch / "runs/e");
  expect_refused(run(), 1, {"runs/e", "in use by another process"});
  expect_no_run();
}

TEST_F(BadInput, a_full_disk_leaves_nothing_half_written) {
  make_dataset(12);
  make_experiment();
  Conditions full = here();
  full.largest_file = 4000;  // experiment.yaml fits, the manifest does not
  const Outcome outcome = run_program({"run", "e.yaml", "--quiet"}, full);
  expect_refused(outcome, 1, {"manifest.csv", "cannot write"});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch / "runs")) {
    EXPECT_THAT(entry.path().string(), Not(HasSubstr(".part")));
  }
  expect_no_run();
  EXPECT_EQ(run().code, 0) << "there is room again";
}

TEST_F(BadInput, an_output_that_cannot_be_written_is_a_failure) {
  Conditions full = here();
  full.stdout_file = "/dev/full";
  EXPECT_EQ(run_program({"list"}, full).code, 1);
}

TEST_F(BadInput, wrong_arguments_are_wrong_use) {
  EXPECT_EQ(run_program({"rum"}, here()).code, 2);
  EXPECT_EQ(run_program({}, here()).code, 2);
  EXPECT_EQ(run_program({"run"}, here()).code, 2);
  EXPECT_EQ(run_program({"explain", "mpl"}, here()).code, 2);
  EXPECT_THAT(run_program({"explain", "mpl"}, here()).err, HasSubstr("did you mean \"mlp\""));
  EXPECT_EQ(run_program({"data", "show", "leters"}, here()).code, 2);
}

}  // namespace
}  // namespace tyto
