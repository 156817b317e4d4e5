// SPDX-License-Identifier: Apache-2.0
// The reliability benchmark as a user runs it.
#include "support/program.hpp"
#include "support/toy_run.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/calibration/score_calibrator.hpp"
#include "tyto/core/csv/csv.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

const std::vector<std::string> kBenchmark{
    "run",
    "e.yaml",
    "--set",
    "world={kind: increments, increments: 0}",
    "--set",
    "protocol=calibrate",
    "--set",
    "predictors=[{name: plain, classifier: slda, stream: one}, {name: scaled, classifier: "
    "slda, calibrator: {name: caring, fewest: 1}, stream: one, sets: {score: lac, error: "
    "0.2}}]"};

class Benchmark : public testing::Test {
 protected:
  Scratch scratch;

  void SetUp() override { testing_support::write_toy_experiment(scratch); }

  Outcome call(std::vector<std::string> arguments,
               const std::vector<std::string>& more = {}) const {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, {scratch.path(), {}, RLIM_INFINITY, ""});
  }
};

TEST_F(Benchmark, writes_confidence_by_common_and_rare_classes_and_what_was_fitted) {
  const Outcome outcome = call(kBenchmark, {"--quiet", "--out", "r"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("ECE validate"));
  const CsvTable table = CsvTable::load(scratch.path() / "r" / "reliability.csv");
  std::map<std::string, double> found;  // arm/split/classes/measure
  const auto cell = [&](Index row, const char* column) {
    return std::string(table.text(row, table.column(column)));
  };
  for (Index row = 0; row < table.rows(); ++row) {
    if (const std::string value = cell(row, "value"); !value.empty()) {
      found[cell(row, "arm") + "/" + cell(row, "split") + "/" + cell(row, "classes") + "/" +
            cell(row, "measure")] = std::stod(value);
    }
  }
  // 30 groups of four train; a tenth of them is held out, whole.
  EXPECT_EQ(found.at("plain/validate/all/n"), 12.0);
  for (const std::string split : {"validate", "test"}) {
    const auto n = [&](const std::string& classes) {
      return found.at("plain/" + split + "/" + classes + "/n");
    };
    EXPECT_GT(n("all"), 0.0);
    EXPECT_EQ(n("all"), n("common") + n("rare"));
    // A temperature, whatever the input, changes no decision.
    EXPECT_EQ(found.at("plain/" + split + "/all/accuracy"),
              found.at("scaled/" + split + "/all/accuracy"));
  }
  const CsvTable fitted = CsvTable::load(scratch.path() / "r" / "calibration.csv");
  ASSERT_GT(fitted.rows(), 0);
  EXPECT_EQ(fitted.text(0, fitted.column("arm")), "scaled");
  const CsvTable measures = CsvTable::load(scratch.path() / "r" / "measures.csv");
  bool promised = false;
  for (Index row = 0; row < measures.rows(); ++row) {
    promised = promised || (measures.text(row, measures.column("measure")) == "set_promised" &&
                            measures.text(row, measures.column("value")) == "0.8");
  }
  EXPECT_TRUE(promised);
}

// Arm, phase and sample by sample, what was decided.
std::map<std::string, std::vector<std::string>> decisions(const RunFolder& folder,
                                                          std::string_view arm) {
  std::map<std::string, std::vector<std::string>> out;
  const StoredRecord record(folder, arm, {});
  for (const PhaseKey& key : record.phases()) {
    const Phase phase = record.phase(key);
    for (Index i = 0; i < phase.size(); ++i) {
      out[key.name()].push_back(phase.decision(i));
    }
  }
  return out;
}

TEST_F(Benchmark, decides_the_same_with_every_calibrator_that_keeps_the_order) {
  std::vector<std::string> names;
  std::string arms = "{name: native, classifier: {name: evm, unknown: true}, stream: one}";
  for (const CalibratorSpec& spec : calibrator_specs()) {
    if (spec.make(ConfigNode::empty_map(), spec.name)->keeps_order()) {
      names.push_back(spec.name);
      arms += fmt::format(
          ", {{name: {0}, classifier: {{name: evm, unknown: true}}, calibrator: {{name: {0}, "
          "fewest: 1}}, stream: one}}",
          spec.name);
    }
  }
  const Outcome outcome = call({"run", "e.yaml", "--set", "world={kind: increments, increments: 0}",
                                "--set", "protocol={kind: calibrate, share: 0.3}", "--set",
                                "predictors=[" + arms + "]", "--quiet", "--out", "r"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const RunFolder folder(scratch.path() / "r");
  const auto native = decisions(folder, "native");
  ASSERT_EQ(native.size(), 2U);
  ASSERT_GE(names.size(), 5U);
  for (const std::string& name : names) {
    EXPECT_EQ(decisions(folder, name), native) << name;
  }
}

TEST_F(Benchmark, tells_the_test_error_by_epoch_and_shows_no_test_label_to_who_learns) {
  const auto run = [&](const std::string& out) {
    const Outcome outcome = call(
        {"run", "e.yaml", "--set", "world={kind: increments, increments: 0}", "--set",
         "protocol={kind: calibrate, share: 0.3}", "--set",
         "predictors=[{name: c, classifier: slda, calibrator: {name: caring, form: paper, fewest: "
         "1, epochs: 25}}]",
         "--set", "record={epochs: true}", "--quiet", "--out", out});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const StoredRecord record(RunFolder(scratch.path() / out), "c", {});
    return record.phase({0, "post", "test"}).given_known;
  };
  const GivenKnown told = run("r");
  const auto cells = [&](const char* file) { return CsvTable::load(scratch.path() / "r" / file); };
  const CsvTable epochs = cells("reliability_by_epoch.csv");
  std::string last;
  std::string native;
  for (Index row = 0; row < epochs.rows(); ++row) {
    if (epochs.text(row, epochs.column("split")) == "test" &&
        epochs.text(row, epochs.column("epoch")) == "25") {
      last = epochs.text(row, epochs.column("ece10"));
      native = epochs.text(row, epochs.column("native_ece10"));
    }
  }
  const CsvTable measures = cells("reliability.csv");
  std::string ece;
  for (Index row = 0; row < measures.rows(); ++row) {
    if (measures.text(row, measures.column("split")) == "test" &&
        measures.text(row, measures.column("classes")) == "all" &&
        measures.text(row, measures.column("measure")) == "ece10") {
      ece = measures.text(row, measures.column("value"));
    }
  }
  ASSERT_FALSE(last.empty());
  EXPECT_NEAR(std::stod(last), std::stod(ece), 1e-6);
  EXPECT_NE(last, native);

  // Other labels of the test samples: other errors, the same confidences at every epoch.
  std::string index = testing_support::slurp(scratch.path() / "datasets/toy/index.csv");
  for (std::size_t at = index.find(",test,"); at != index.npos; at = index.find(",test,", at + 1)) {
    index[at - 1] = static_cast<char>('0' + (index[at - 1] - '0' + 1) % 4);
  }
  write_file(scratch.path() / "datasets/toy/index.csv", index);
  const GivenKnown other = run("s");
  EXPECT_EQ(other.by_epoch.confidence, told.by_epoch.confidence);
  EXPECT_EQ(other.temperature, told.temperature);
  EXPECT_NE(other.log_true, told.log_true);
}

TEST_F(Benchmark, is_listed_and_compared_by_its_own_headline) {
  ASSERT_EQ(call(kBenchmark, {"--quiet", "--out", "runs/a"}).code, 0);
  ASSERT_EQ(call(kBenchmark, {"--quiet", "--out", "runs/b", "--seed", "2"}).code, 0);
  ASSERT_EQ(call({"run", "e.yaml", "--quiet", "--out", "runs/c"}).code, 0);
  const Outcome list = call({"runs"});
  EXPECT_THAT(list.out, HasSubstr("NLL test"));
  EXPECT_THAT(list.out, HasSubstr("new noticed"));
  const Outcome diff = call({"runs", "diff", "runs/a", "runs/b", "--quiet", "--json"});
  ASSERT_EQ(diff.code, 0) << diff.err;
  std::set<std::string> titles;
  const auto answer = nlohmann::json::parse(diff.out);
  for (const auto& row : answer["outcome"]) {
    titles.insert(row["title"]);
  }
  EXPECT_TRUE(titles.contains("NLL test")) << diff.out;
  const Outcome table = call({"report", "runs/a", "--csv", "--quiet"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, StartsWith("run,predictor,feedback,ece10_validate,ece10_validate_low,"));
  const auto recorded = nlohmann::json::parse(slurp(scratch.path() / "runs/a/run.json"));
  for (const auto& [name, value] : recorded["arms"][0]["headline"].items()) {
    EXPECT_THAT(table.out, HasSubstr(fmt::format(",{},", value.get<double>()))) << name;
  }
}

TEST_F(Benchmark, says_what_cannot_be) {
  const Outcome feedback = call(kBenchmark, {"--set", "feedback=[0.5]", "--out", "r"});
  EXPECT_EQ(feedback.code, 2);
  EXPECT_THAT(feedback.err, HasSubstr("gives all labels of train at once"));
  const Outcome increments =
      call(kBenchmark, {"--set", "world={kind: increments, increments: 2}", "--out", "r"});
  EXPECT_THAT(increments.err, HasSubstr("shows a second increment"));
  const Outcome sets = call(kBenchmark, {"--set", "predictors=[{preset: slda, sets: lack}]"});
  EXPECT_EQ(sets.code, 2);
  EXPECT_THAT(sets.err, HasSubstr("lac"));
}

}  // namespace
}  // namespace tyto
