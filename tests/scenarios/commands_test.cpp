// SPDX-License-Identifier: Apache-2.0
// Each verb of the program once, on a toy table: what the sanitisers see of the command line. The
// tests of each are in tests/cli.
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/toy_run.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;

struct Command {
  std::vector<std::string> arguments;
  std::string says;  // among what it prints
  int code = 0;
};

// In this order: later ones use what earlier ones wrote.
const std::vector<Command>& commands() {
  static const std::string table = "datasets/toy/index.csv";
  static const std::vector<Command> all{
      {{"--version"}, "tyto 0."},
      {{"list", "detector"}, "mahalanobis"},
      {{"explain", "slda"}, "linear discriminants"},
      {{"data", "show", "toy"}, "160 samples, 4 classes"},
      {{"data", "audit", "toy"}, "toy"},
      {{"run", "e.yaml", "--out", "r", "--quiet", "--threads", "1"}, "Everything is in r/"},
      {{"run", "e.yaml", "--out", "r", "--quiet"}, "--resume continues it", 1},
      {{"run", "e.yaml", "--out", "r", "--quiet", "--threads", "1", "--resume"}, "in r/"},
      {{"runs", "."}, "slda"},
      {{"measure", "r", "--csv", "--quiet"}, "slda-100pct,slda,100 %,2,post,test"},
      {{"report", "r", "--out", "page.html"}, "page.html"},
      {{"predict", "r", table, "--id-column", "id", "--ignore", "label", "split", "group"},
       "t159,"},
      {{"learn", table, "--preset", "slda", "--out", "model", "--threads", "1"}, "of 4 classes"},
      {{"predict", "model", table, "--why"}, "score mahalanobis"},
      {{"cluster", table, "--id-column", "id", "--labels-column", "label", "--ignore", "split",
        "group", "--out", "groups.csv"},
       "groups.csv"},
      {{"detect", table, table, "--ignore", "id", "label", "split", "group", "--threads", "1"},
       "novelty"},
      {{"calibrate", "--method", "temperature", "--fit", "logits.csv", "labels.csv", "--json"},
       "\"temperature\": 0.91"},
      {{"make-tests", "--data", "toy", "--out", "tests", "--tests", "1", "--length", "16",
        "--before", "8", "--round", "4", "--known", "2"},
       "tests"},
      {{"rn", "e.yaml"}, "run", 2},
      {{"run", "none.yaml"}, "none.yaml", 1},
  };
  return all;
}

TEST(Commands, all_do_what_they_are_for) {
  const Scratch scratch;
  testing_support::write_toy_experiment(scratch);
  write_file(scratch / "logits.csv", "1,0\n1,0\n1,0\n1,0\n");
  write_file(scratch / "labels.csv", "0\n0\n0\n1\n");
  testing_support::Conditions there;
  there.folder = scratch.path();
  for (const Command& command : commands()) {
    std::string line = "tyto";
    for (const std::string& argument : command.arguments) {
      line += " " + argument;
    }
    SCOPED_TRACE(line);
    const Outcome outcome = run_program(command.arguments, there);
    EXPECT_EQ(outcome.code, command.code) << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr(command.says));
  }
}

}  // namespace
}  // namespace tyto
