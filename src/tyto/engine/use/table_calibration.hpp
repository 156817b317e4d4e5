// SPDX-License-Identifier: Apache-2.0
// A calibration method on tables of scores from any model: fitted on one, applied to others,
// kept in a file. Class columns are matched by name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/calibration/conformal_sets.hpp"
#include "tyto/calibration/score_calibrator.hpp"
#include "tyto/data/score_table.hpp"
#include "tyto/sample/prediction.hpp"

namespace tyto {

struct GivenScores {
  ScoreTable scores;
  std::vector<Index> truth;  // a column per row; empty where it is not known
  std::optional<ScoreTable> features;
};

// `labels` and `features` may be empty. Throws Error(data) for what is no score, for labels that
// are no column and where rows are missing.
GivenScores read_given_scores(const std::string& scores, const std::string& labels,
                              const std::string& features, std::string_view kind);

class TableCalibration {
 public:
  // Throws Error(config) for a method or an option that is none.
  TableCalibration(std::string_view method, const ConfigNode& options);

  static TableCalibration load(const std::string& file);
  void save(const std::string& file) const;  // fitted; the sets are not kept

  void fit(const GivenScores& known, Work& work);

  // Calibrated logits, columns as in `given`. Those of two tables that name them may stand in any
  // order; where one does not, they are taken as they stand. Throws Error(data) naming the file,
  // the column and those expected where a class is missing or foreign, or their number is another.
  [[nodiscard]] Dense<double> apply(const GivenScores& given) const;

  // Of methods that train, else empty. Truths have no part in it.
  [[nodiscard]] ByEpoch by_epoch(const GivenScores& given) const;

  // Sets of classes beside the calibrated scores; random numbers come from the seed.
  void fit_sets(SetOptions options, const GivenScores& known, std::uint64_t seed);
  // Of `calibrated`, which came from apply(given); classes are columns of `given`.
  [[nodiscard]] std::vector<ClassSet> sets(const GivenScores& given,
                                           const Dense<double>& calibrated,
                                           std::uint64_t seed) const;

  [[nodiscard]] const CalibratorSpec& method() const { return *spec_; }

  [[nodiscard]] const ScoreCalibrator& calibrator() const { return *calibrator_; }

  [[nodiscard]] const std::optional<ConformalSets>& fitted_sets() const { return sets_; }

  // What a user should know before applying it to that table.
  [[nodiscard]] std::vector<std::string> notes(const GivenScores* applied) const;

 private:
  struct Columns {
    std::vector<std::string> names;  // empty where the table did not name them
    Index count = 0;
  };

  // Where each column of the fit stands in `table`.
  static std::vector<Index> places(const Columns& fitted, const ScoreTable& table);
  static Columns columns_of(const ScoreTable& table);
  // Rows of features as when fitted; none where the method needs none.
  [[nodiscard]] std::optional<Dense<double>> features_of(const GivenScores& given) const;

  const CalibratorSpec* spec_;
  ConfigNode options_;
  std::unique_ptr<ScoreCalibrator> calibrator_;
  Columns classes_, features_;
  std::optional<ConformalSets> sets_;
};

}  // namespace tyto
