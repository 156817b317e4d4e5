// SPDX-License-Identifier: Apache-2.0
// A class that is split on the way, and one that is not seen for a while, in whole runs: what the
// predictor answers, what is on record, and what is measured.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "support/program.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/random.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

namespace changed_names {

using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

constexpr const char* kSplitOfMove =
    "label_changes: [{increment: 2, split: {move: {annotation: direction}}}]";

// Blobs far apart: sit and run at the start; `move`, which goes left or right, too; jump comes at
// increment 1. sit is not shown at increments 1 and 2.
void write_moves(const Scratch& scratch) {
  struct Blob {
    const char *label, *direction;
    double x, y;
  };

  const std::vector<Blob> blobs{{"sit", "none", 0, 0},
                                {"run", "none", 40, 0},
                                {"move", "left", 0, 40},
                                {"move", "right", 40, 40},
                                {"jump", "none", 80, 0}};
  Rng rng(4, "moves");
  std::string csv = "id,label,split,increment,direction,x0,x1\n";
  int id = 0;
  for (int increment = 0; increment < 4; ++increment) {
    for (const Blob& blob : blobs) {
      const bool is_away = (std::string(blob.label) == "jump" && increment == 0) ||
                           (std::string(blob.label) == "sit" && (increment == 1 || increment == 2));
      for (int i = 0; i < 30 && !is_away; ++i) {
        csv += fmt::format("m{},{},{},{},{},{:.3f},{:.3f}\n", id++, blob.label,
                           i % 3 == 0 ? "test" : "train", increment, blob.direction,
                           blob.x + rng.normal(), blob.y + rng.normal());
      }
    }
  }
  std::filesystem::create_directories(scratch / "datasets/moves");
  write_file(scratch / "datasets/moves/index.csv", csv);
  write_file(scratch / "datasets/moves/dataset.yaml",
             "name: moves\nindex: index.csv\nfeatures:\n  - {source: features, columns: [x0, "
             "x1]}\n");
}

Outcome run_moves(const Scratch& scratch, const std::string& world, const std::string& more = "") {
  write_moves(scratch);
  write_file(scratch / "e.yaml",
             fmt::format("name: e\nprior_knowledge: none\ndata: moves\nworld: {}\npredictors: "
                         "[ncm]\nfeedback: [1]\nreport: false\n{}",
                         world, more));
  return run_program({"run", "e.yaml", "--quiet", "--threads", "1", "--out", "run"},
                     {scratch.path(), {}, RLIM_INFINITY, ""});
}

// Of the test samples of these classes: the share called by their names.
double named_right(const Phase& phase, const Truth& truth, const std::set<std::string>& classes) {
  Index right = 0;
  Index all = 0;
  for (Index i = 0; i < phase.size(); ++i) {
    const std::string& label = truth.label_of(phase.sample[static_cast<std::size_t>(i)]);
    all += classes.contains(label) ? 1 : 0;
    right += classes.contains(label) && phase.decision(i) == label ? 1 : 0;
  }
  EXPECT_GT(all, 0);
  return static_cast<double>(right) / static_cast<double>(std::max<Index>(1, all));
}

std::set<std::string> decisions_on(const Phase& phase, const Truth& truth,
                                   const std::set<std::string>& classes) {
  std::set<std::string> made;
  for (Index i = 0; i < phase.size(); ++i) {
    if (classes.contains(truth.label_of(phase.sample[static_cast<std::size_t>(i)]))) {
      made.insert(phase.decision(i));
    }
  }
  return made;
}

class SplitClass : public testing::TestWithParam<const char*> {};

TEST_P(SplitClass, is_answered_recorded_and_measured_by_its_new_names) {
  const Scratch scratch;
  const Outcome outcome = run_moves(scratch, fmt::format(fmt::runtime(GetParam()), kSplitOfMove));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const RunFolder folder(scratch / "run");
  const StoredRecord record(folder, "ncm-100pct", {{"pre", "post"}, {"train", "validate", "test"}});
  const Truth& truth = *record.truth();
  const std::set<std::string> whole{"move"};
  const std::set<std::string> parts{"left", "right"};

  const Phase before = record.phase({1, "post", "test"});
  // By name, but for the few that the threshold keeps out.
  EXPECT_GT(named_right(before, truth, whole), 0.6);
  EXPECT_THAT(decisions_on(before, truth, whole), Each(AnyOf("move", "unknown")));
  EXPECT_THAT(before.shown, AllOf(Contains("move"), Not(Contains("left"))));

  // Nobody has told the new names yet; the old one is no answer any more.
  const Phase first = record.phase({2, "pre", "test"});
  EXPECT_THAT(first.shown, AllOf(Contains("left"), Contains("right"), Not(Contains("move"))));
  EXPECT_THAT(decisions_on(first, truth, parts), Each(Not(AnyOf("move", "left", "right"))));
  EXPECT_GT(named_right(first, truth, {"run"}), 0.6);

  const Phase told = record.phase({2, "post", "test"});
  EXPECT_GT(named_right(told, truth, {"left"}), 0.6);
  EXPECT_GT(named_right(told, truth, {"right"}), 0.6);
  EXPECT_THAT(decisions_on(told, truth, parts), Each(AnyOf("left", "right", "unknown")));
  EXPECT_THAT(told.known, AllOf(Contains("left"), Contains("right")));
  const Phase last = record.phase({3, "pre", "test"});
  EXPECT_GT(named_right(last, truth, parts), 0.6);

  const CsvTable manifest = CsvTable::load(scratch / "run/manifest.csv");
  for (Index row = 0; row < manifest.rows(); ++row) {
    const std::string_view label = manifest.text(row, manifest.column("label"));
    const bool is_late =
        manifest.counts(manifest.column("increment"))[static_cast<std::size_t>(row)] >= 2;
    EXPECT_FALSE(is_late ? label == "move" : label == "left" || label == "right") << row;
    if (label == "left" || label == "right") {
      EXPECT_EQ(manifest.text(row, manifest.column("novelty")), "known");
    }
  }
  const Outcome classes =
      run_program({"measure", "run", "--per-class", "--phase", "post", "--split", "test", "--csv"},
                  {scratch.path(), {}, RLIM_INFINITY, ""});
  ASSERT_EQ(classes.code, 0) << classes.err;
  const CsvTable table = CsvTable::parse(classes.out, "per class");
  std::map<std::string, double> recall;
  for (Index row = 0; row < table.rows(); ++row) {
    if (table.text(row, table.column("novel_to")) == "predictor") {
      recall[std::string(table.text(row, table.column("class")))] =
          std::strtod(std::string(table.text(row, table.column("recall"))).c_str(), nullptr);
    }
  }
  for (const char* name : {"move", "left", "right"}) {
    EXPECT_GT(recall[name], 0.6) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Worlds, SplitClass,
    testing::Values("{{kind: manifest, {}}}",
                    "{{kind: increments, increments: 3, start: {{classes: [sit, run, move], "
                    "share: 0.4}}, {}}}"));

TEST(ListedClasses, that_cannot_change_so_are_refused_before_the_run) {
  const auto problem = [](const std::string& changes) {
    const Scratch scratch;
    const Outcome outcome =
        run_moves(scratch, fmt::format("{{kind: manifest, label_changes: {}}}", changes));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_FALSE(std::filesystem::exists(scratch / "run/run.json"));
    return outcome.err;
  };
  EXPECT_THAT(problem("[{increment: 4, rename: {sit: rest}}]"),
              HasSubstr("world.label_changes: increment 4 is never reached; the last one is 3"));
  EXPECT_THAT(problem("[{increment: 1, merge: {go: [run, fly]}}]"),
              HasSubstr("world.label_changes.0.merge.go: no class is called \"fly\" then"));
  EXPECT_THAT(problem("[{increment: 1, split: {move: {annotation: speed}}}]"),
              HasSubstr("the data have no annotation \"speed\""));
  EXPECT_THAT(problem("[{increment: 1}]"), HasSubstr("changes nothing"));
}

std::map<std::string, std::string> novelty_of_classes(const std::string& csv, std::string_view to) {
  const CsvTable table = CsvTable::parse(csv, "per class");
  std::map<std::string, std::string> known;
  for (Index row = 0; row < table.rows(); ++row) {
    if (table.text(row, table.column("novel_to")) == to) {
      known[std::string(table.text(row, table.column("class")))] =
          table.text(row, table.column("known"));
    }
  }
  return known;
}

TEST(ForgottenClass, is_novel_again_in_the_measures_of_a_run_that_asks_for_it) {
  const Scratch scratch;
  const Outcome outcome = run_moves(scratch, "{kind: manifest}", "novel_again: 2\n");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto measure = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"measure", "run", "--quiet", "--csv"});
    return run_program(arguments, {scratch.path(), {}, RLIM_INFINITY, ""}).out;
  };
  const std::string written = slurp(scratch / "run/measures.csv");
  EXPECT_THAT(written, HasSubstr(",3,pre,test,evaluator_again_2,detection,detection_rate,"));
  EXPECT_EQ(measure({}), written);
  // sit is shown at 0 and 3: two increments without it make it novel at 3, so in one of its phases
  // of pre alone, which is all that there is of it then.
  const std::vector<std::string> pre{"--phase", "pre", "--split", "test", "--per-class"};
  EXPECT_EQ(novelty_of_classes(measure(pre), "evaluator_again_2")["sit"], "no");
  EXPECT_EQ(novelty_of_classes(measure(pre), "evaluator")["sit"], "yes");
  EXPECT_EQ(novelty_of_classes(measure(pre), "evaluator_again_2")["run"], "yes");
  std::vector<std::string> longer = pre;
  longer.insert(longer.end(), {"--novel-again", "3"});
  EXPECT_EQ(novelty_of_classes(measure(longer), "evaluator_again_3")["sit"], "yes");
  const Outcome table = run_program({"measure", "run", "--novel-again", "2", "--phase", "pre"},
                                    {scratch.path(), {}, RLIM_INFINITY, ""});
  EXPECT_THAT(table.out, HasSubstr("not shown in the last 2 increments"));
}

TEST(ForgottenClass, needs_a_world_that_says_when_it_showed_what) {
  const Scratch scratch;
  const Outcome outcome = run_moves(scratch,
                                    "{kind: rounds, settings: [system], make: {known: 2, tests: 1, "
                                    "length: 8, before: 4, round_size: 4, novel_classes: 1}}",
                                    "novel_again: 2\nprotocol: ond\n");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("novel_again: the world rounds does not say when"));
  write_file(scratch / "t.csv", "id,label,predicted\n1,a,a\n");
  EXPECT_THAT(run_program({"measure", "t.csv", "--novel-again", "2"},
                          {scratch.path(), {}, RLIM_INFINITY, ""})
                  .err,
              HasSubstr("--novel-again is for runs"));
}

}  // namespace changed_names
}  // namespace
}  // namespace tyto
