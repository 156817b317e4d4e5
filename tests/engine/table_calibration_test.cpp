// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/table_calibration.hpp"

#include <set>

#include "support/scratch.hpp"
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::Scratch;

// Scores of 60 samples of cat, dog and cow, with and without names, and the columns in another
// order. The class of row i is i % 3.
class ScoreFiles {
 public:
  ScoreFiles() {
    Rng rng(1, "scores");
    std::string plain;
    std::string turned = "cow,cat,dog\n";
    std::string features = "x,y\n";
    std::string features_turned = "y,x\n";
    std::string labels;
    for (int i = 0; i < 60; ++i) {
      double score[3] = {rng.normal(), 2.0 * rng.normal(), 0.5 + rng.normal()};
      score[i % 3] += 2.0;
      plain += fmt::format("{},{},{}\n", score[0], score[1], score[2]);
      turned += fmt::format("{},{},{}\n", score[2], score[0], score[1]);
      const double x = rng.normal();
      features += fmt::format("{},{}\n", x, 0.1 * i);
      features_turned += fmt::format("{},{}\n", 0.1 * i, x);
      labels += fmt::format("{}\n", i % 3);
    }
    write("plain.csv", plain);
    write("named.csv", "cat,dog,cow\n" + plain);
    write("turned.csv", turned);
    write("labels.csv", labels);
    write("z.csv", features);
    write("z_turned.csv", features_turned);
  }

  void write(std::string_view name, std::string_view text) const {
    write_file(scratch_ / name, text);
  }

  [[nodiscard]] std::string file(std::string_view name) const { return (scratch_ / name).string(); }

  [[nodiscard]] GivenScores read(std::string_view scores, bool labelled = false,
                                 std::string_view features = "") const {
    return read_given_scores(file(scores), labelled ? file("labels.csv") : "",
                             features.empty() ? "" : file(features), "auto");
  }

  [[nodiscard]] TableCalibration fitted(std::string_view scores, const char* method,
                                        std::string_view features = "") const {
    TableCalibration out(method, ConfigNode::empty_map());
    Progress silent;
    Work work{Rng(1, "fit"), silent};
    out.fit(read(scores, true, features), work);
    return out;
  }

 private:
  Scratch scratch_;
};

// Of turned.csv, in the order of named.csv.
Dense<double> turned_back(const Dense<double>& values) {
  const std::vector<Index> order{1, 2, 0};
  return values(Eigen::all, order);
}

std::string refusal(const TableCalibration& calibration, const GivenScores& given) {
  try {
    (void)calibration.apply(given);
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

TEST(TableCalibration, finds_classes_by_name_in_any_order_of_columns) {
  const ScoreFiles files;
  for (const CalibratorSpec& spec : calibrator_specs()) {
    const std::string z = spec.needs_features ? "z.csv" : "";
    const std::string z_turned = spec.needs_features ? "z_turned.csv" : "";
    const TableCalibration calibration = files.fitted("named.csv", spec.name.c_str(), z);
    const Dense<double> straight = calibration.apply(files.read("named.csv", false, z));
    const Dense<double> turned = calibration.apply(files.read("turned.csv", false, z_turned));
    EXPECT_EQ(turned_back(turned), straight) << spec.name;
  }
  // By position the answer would be another one.
  const TableCalibration vector = files.fitted("named.csv", "vector");
  EXPECT_NE(vector.apply(files.read("turned.csv")), vector.apply(files.read("named.csv")));
}

TEST(TableCalibration, makes_the_same_sets_in_any_order_of_columns) {
  const ScoreFiles files;
  TableCalibration calibration = files.fitted("named.csv", "temperature");
  SetOptions options;
  options.by_class = true;
  options.error = 0.3;
  calibration.fit_sets(options, files.read("named.csv", true), 7);
  const auto named_sets = [&](std::string_view file) {
    const GivenScores given = files.read(file);
    std::vector<std::set<std::string>> out;
    for (const ClassSet& set : calibration.sets(given, calibration.apply(given), 7)) {
      auto& names = out.emplace_back();
      for (const Index column : set) {
        names.insert(given.scores.columns[static_cast<std::size_t>(column)]);
      }
    }
    return out;
  };
  EXPECT_EQ(named_sets("turned.csv"), named_sets("named.csv"));
}

TEST(TableCalibration, refuses_a_class_that_is_missing_or_foreign) {
  const ScoreFiles files;
  files.write("two.csv", "dog,cat\n1,2\n");
  files.write("horse.csv", "cat,horse,dog,cow\n1,2,3,4\n");
  for (const char* method : {"temperature", "vector"}) {
    const TableCalibration calibration = files.fitted("named.csv", method);
    EXPECT_THAT(
        refusal(calibration, files.read("two.csv")),
        AllOf(HasSubstr("two.csv"), HasSubstr("no column \"cow\""), HasSubstr("cat, dog, cow")));
    EXPECT_THAT(
        refusal(calibration, files.read("horse.csv")),
        AllOf(HasSubstr("horse.csv: column 2 (from 1), \"horse\""), HasSubstr("cat, dog, cow")));
  }
}

TEST(TableCalibration, without_names_on_either_side_wants_as_many_columns) {
  const ScoreFiles files;
  files.write("eight.csv", "1,2,3,4,5,6,7,8\n");
  files.write("eight_named.csv", "a,b,c,d,e,f,g,h\n1,2,3,4,5,6,7,8\n");
  const TableCalibration plain = files.fitted("plain.csv", "temperature");
  EXPECT_THAT(refusal(plain, files.read("eight.csv")),
              HasSubstr("eight.csv: 8 columns, but the calibrator was fitted on 3"));
  EXPECT_THAT(refusal(plain, files.read("eight_named.csv")), HasSubstr("8 columns"));
  const TableCalibration named = files.fitted("named.csv", "temperature");
  EXPECT_THAT(refusal(named, files.read("eight.csv")),
              HasSubstr("8 columns, but the calibrator was fitted on 3: cat, dog, cow"));
  // As many: as they stand, and told so where one side has names.
  const GivenScores unnamed = files.read("plain.csv");
  EXPECT_EQ(named.apply(unnamed), named.apply(files.read("named.csv")));
  EXPECT_THAT(named.notes(&unnamed), testing::Contains(HasSubstr("taken as they stand")));
  EXPECT_TRUE(plain.notes(&unnamed).empty());
}

TEST(TableCalibration, keeps_the_names_in_its_file) {
  const ScoreFiles files;
  const TableCalibration calibration = files.fitted("named.csv", "caring", "z.csv");
  calibration.save(files.file("kept.tyto"));
  const TableCalibration again = TableCalibration::load(files.file("kept.tyto"));
  EXPECT_EQ(turned_back(again.apply(files.read("turned.csv", false, "z_turned.csv"))),
            calibration.apply(files.read("named.csv", false, "z.csv")));
  files.write("two.csv", "dog,cat\n1,2\n");
  EXPECT_THAT(refusal(again, files.read("two.csv")), HasSubstr("no column \"cow\""));
}

}  // namespace
}  // namespace tyto
