// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/calibration_set.hpp"
#include "support/program.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::HasSubstr;
using testing_support::calibration_sets;
using testing_support::CalibrationData;
using testing_support::Outcome;
using testing_support::run_program;
using testing_support::Scratch;
using testing_support::slurp;

std::string csv_rows(const Dense<double>& rows) {
  std::string text;
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      text += fmt::format("{}{}", j == 0 ? "" : ",", rows(i, j));
    }
    text += '\n';
  }
  return text;
}

std::string label_rows(const std::vector<Index>& labels) {
  std::string text;
  for (const Index label : labels) {
    text += fmt::format("{}\n", label);
  }
  return text;
}

// Scores 1 and 0, right three times of four: the temperature is 1 / log 3.
class ScoreFolder {
 public:
  ScoreFolder() {
    write_file(scratch_ / "logits.csv", "1,0\n1,0\n1,0\n1,0\n");
    write_file(scratch_ / "labels.csv", "0\n0\n0\n1\n");
    write_file(scratch_ / "named.csv", "cat,dog\n1,0\n0,2\n");
    write_file(scratch_ / "names.csv", "label\ncat\ndog\n");
  }

  [[nodiscard]] std::string file(std::string_view name) const { return (scratch_ / name).string(); }

  void write(std::string_view name, std::string_view text) const {
    write_file(scratch_ / name, text);
  }

 private:
  Scratch scratch_;
};

TEST(CalibrateVerb, fits_a_temperature_and_writes_probabilities) {
  const ScoreFolder folder;
  const Outcome outcome =
      run_program({"calibrate", "--method", "temperature", "--fit", folder.file("logits.csv"),
                   folder.file("labels.csv"), "--apply", folder.file("named.csv"), "--out",
                   folder.file("out.csv"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(json["temperature"].get<double>(), 1.0 / std::log(3.0), 1e-9);
  EXPECT_EQ(json["keeps_predictions"], true);
  EXPECT_NEAR(json["fit"]["after"]["ece10"].get<double>(), 0.0, 1e-9);
  EXPECT_NEAR(json["parameters"]["slope"].get<double>(), 0.0, 1e-9);
  double cat = 0.0;
  double dog = 0.0;
  const std::string text = slurp(folder.file("out.csv"));
  ASSERT_EQ(std::sscanf(text.c_str(), "cat,dog\n%lf,%lf", &cat, &dog), 2) << text;
  EXPECT_NEAR(cat, 0.75, 1e-9);
  EXPECT_NEAR(dog, 0.25, 1e-9);
}

TEST(CalibrateVerb, keeps_a_calibrator_for_later) {
  const ScoreFolder folder;
  ASSERT_EQ(run_program({"calibrate", "--fit", folder.file("logits.csv"), folder.file("labels.csv"),
                         "--save", folder.file("kept.tyto")})
                .code,
            0);
  const Outcome outcome = run_program({"calibrate", "--load", folder.file("kept.tyto"), "--apply",
                                       folder.file("logits.csv"), "--write", "logits", "--out",
                                       folder.file("out.csv")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  double first = 0.0;
  const std::string text = slurp(folder.file("out.csv"));
  ASSERT_EQ(std::sscanf(text.c_str(), "%lf", &first), 1);
  EXPECT_NEAR(first, std::log(3.0), 1e-9);
}

TEST(CalibrateVerb, finds_classes_by_name_and_writes_them_as_they_stood) {
  const ScoreFolder folder;
  folder.write("fit.csv", "cat,dog\n1,0\n1,0\n1,0\n1,0\n2,1\n0,3\n");
  folder.write("fit_labels.csv", "cat\ncat\ncat\ndog\ndog\ndog\n");
  folder.write("turned.csv", "dog,cat\n0,1\n");
  folder.write("straight.csv", "cat,dog\n1,0\n");
  folder.write("three.csv", "cat,dog,cow\n1,0,2\n");
  const auto calibrated = [&](std::string_view apply, double& first, double& second) {
    const Outcome outcome = run_program({"calibrate", "--method", "vector", "--fit",
                                         folder.file("fit.csv"), folder.file("fit_labels.csv"),
                                         "--apply", folder.file(apply), "--out", folder.file("o")});
    if (outcome.code != 0) {
      return outcome.err;
    }
    const std::string text = slurp(folder.file("o"));
    EXPECT_EQ(std::sscanf(text.c_str() + 8, "%lf,%lf", &first, &second), 2) << text;
    return text.substr(0, 7);
  };
  double cat = 0.0;
  double dog = 0.0;
  double turned_dog = 0.0;
  double turned_cat = 0.0;
  EXPECT_EQ(calibrated("straight.csv", cat, dog), "cat,dog");
  EXPECT_EQ(calibrated("turned.csv", turned_dog, turned_cat), "dog,cat");
  EXPECT_EQ(turned_cat, cat);
  EXPECT_EQ(turned_dog, dog);
  EXPECT_THAT(
      calibrated("three.csv", cat, dog),
      HasSubstr("three.csv: column 3 (from 1), \"cow\", is none of those the calibrator was "
                "fitted on: cat, dog"));
}

TEST(CalibrateVerb, agrees_with_the_check_set_end_to_end) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const ScoreFolder folder;
    folder.write("val.csv", csv_rows(data.val()));
    folder.write("val_labels.csv", label_rows(data.val_truth()));
    folder.write("test.csv", csv_rows(data.test()));
    folder.write("test_labels.csv", label_rows(data.test_truth()));
    const Outcome outcome = run_program(
        {"calibrate", "--fit", folder.file("val.csv"), folder.file("val_labels.csv"), "--apply",
         folder.file("test.csv"), "--apply-labels", folder.file("test_labels.csv"), "--out",
         folder.file("out.csv"), "--sets", "lac", "--sets-out", folder.file("sets.csv"), "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    const auto& expected = data.expected;
    EXPECT_NEAR(json["temperature"].get<double>(),
                expected["temperature_exact"]["val"].get<double>(), 1e-6);
    const auto& lac = expected["conformal_alpha0.1"]["results"]["ts_lac"];
    EXPECT_NEAR(json["sets"]["qhat"].get<double>(), lac["qhat"].get<double>(), 1e-9);
    EXPECT_NEAR(json["sets"]["coverage"].get<double>(), lac["coverage"].get<double>(), 1e-12);
    EXPECT_EQ(json["sets"]["size_hist"], lac["size_hist"]);
    // The table written, measured: probabilities are seen to be such.
    const Outcome measured = run_program({"measure", "--calibration", folder.file("out.csv"),
                                          folder.file("test_labels.csv"), "--json"});
    ASSERT_EQ(measured.code, 0) << measured.err;
    const auto found = nlohmann::json::parse(measured.out);
    EXPECT_EQ(found["input"], "probabilities");
    for (const auto& [name, value] : expected["ts_fit_val_eval_test"].items()) {
      ASSERT_TRUE(found.contains(name)) << name;
      EXPECT_NEAR(found[name].get<double>(), value.get<double>(), 1e-9) << name;
      EXPECT_NEAR(json["apply"]["after"][name].get<double>(), value.get<double>(), 1e-9) << name;
    }
  }
}

TEST(MeasureCalibrationVerb, has_every_key_of_the_check_set) {
  for (const CalibrationData& data : calibration_sets()) {
    SCOPED_TRACE(data.name);
    const auto& expected = data.expected;
    const ScoreFolder folder;
    folder.write("all.csv", csv_rows(data.logits));
    folder.write("all_labels.csv", label_rows(data.truth));
    const Outcome outcome = run_program({"measure", "--calibration", folder.file("all.csv"),
                                         folder.file("all_labels.csv"), "--bins", "10", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    for (const auto& [name, value] : expected["raw_all"].items()) {
      ASSERT_TRUE(json.contains(name)) << name;
      EXPECT_NEAR(json[name].get<double>(), value.get<double>(), 1e-9) << name;
    }
    EXPECT_EQ(json["split"]["common"], expected["split"]["common"]);
    ASSERT_EQ(json["bins"].size(), 10U);
    for (std::size_t b = 0; b < 10; ++b) {
      EXPECT_EQ(json["bins"][b]["count"], expected["reliability_raw_all_10"][b]["count"]);
    }
    EXPECT_EQ(std::ssize(json["per_class"]), data.classes());
  }
}

TEST(MeasureCalibrationVerb, tells_people_measures_and_bins_and_draws_intervals) {
  const ScoreFolder folder;
  const Outcome outcome = run_program({"measure", "--calibration", folder.file("logits.csv"),
                                       folder.file("labels.csv"), "--bootstrap", "50", "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::AllOf(HasSubstr("ece10"), HasSubstr("over-confidence"),
                                          HasSubstr("low"), HasSubstr("0.7311")));
  const Outcome named = run_program({"measure", "--calibration", folder.file("named.csv"),
                                     folder.file("names.csv"), "--json", "--bins", "4"});
  ASSERT_EQ(named.code, 0) << named.err;
  const auto json = nlohmann::json::parse(named.out);
  EXPECT_EQ(json["per_class"][1]["name"], "dog");
  EXPECT_EQ(json["accuracy"], 1.0);
  EXPECT_TRUE(json.contains("ece4"));
}

TEST(CalibrateVerb, says_in_a_sentence_what_is_wrong) {
  const ScoreFolder folder;
  folder.write("nan.csv", "1,0\n1,nan\n1,0\n1,0\n");
  folder.write("word.csv", "1,0\n1,x\n");
  folder.write("short.csv", "1,0\n1\n");
  folder.write("outside.csv", "0\n0\n2\n1\n");
  const auto fit = [&](std::string_view logits, std::string_view labels,
                       std::vector<std::string> more = {}) {
    std::vector<std::string> all{"calibrate", "--fit", folder.file(logits), folder.file(labels)};
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all);
  };
  const auto expect = [](const Outcome& outcome, int code, const char* text) {
    EXPECT_EQ(outcome.code, code) << text;
    EXPECT_THAT(outcome.err, HasSubstr(text));
  };
  expect(fit("nan.csv", "labels.csv"), 1, "row 2, column 2 (from 1): nan");
  expect(fit("word.csv", "labels.csv"), 1, "line 2, column 2 (from 1): \"x\" is not a number");
  expect(fit("short.csv", "labels.csv"), 1, "line 2: 1 numbers, but the first line has 2");
  expect(fit("logits.csv", "outside.csv"), 1, "line 3: \"2\" is no column");
  expect(fit("named.csv", "labels.csv"), 1, "4 labels for the 2 rows");
  expect(fit("logits.csv", "labels.csv", {"--method", "temprature"}), 2, "temperature");
  expect(fit("logits.csv", "labels.csv", {"--method", "caring"}), 2, "--features FILE");
  expect(fit("logits.csv", "labels.csv", {"--set", "smothing=1"}), 2, "smoothing");
  expect(fit("logits.csv", "labels.csv", {"--out", "x.csv"}), 2, "--apply");
  expect(run_program({"calibrate"}), 2, "--fit LOGITS LABELS");
  expect(run_program({"measure", "--calibration", folder.file("logits.csv")}), 2, "LOGITS LABELS");
}

}  // namespace
}  // namespace tyto
