// SPDX-License-Identifier: Apache-2.0
// The check set of calibration, where it is at hand: 2000 rows of 20 logits with expected values.
#pragma once

#include <charconv>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tyto/core/matrix.hpp"

namespace tyto::testing_support {

inline std::filesystem::path calibration_folder() {
  return TYTO_SOURCE_DIR "/../shared/data/calibration";
}

inline bool has_calibration_set() {
  return std::filesystem::exists(calibration_folder() / "expected.json");
}

inline nlohmann::json calibration_json(const std::string& name) {
  std::ifstream file(calibration_folder() / name);
  return nlohmann::json::parse(file);
}

inline Dense<double> calibration_table(const std::string& name) {
  std::ifstream file(calibration_folder() / name);
  std::vector<double> values;
  Index rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    const char* at = line.data();
    const char* end = at + line.size();
    while (at < end) {
      double value = 0.0;
      at = std::from_chars(at, end, value).ptr;
      values.push_back(value);
      ++at;
    }
  }
  return Eigen::Map<Dense<double>>(values.data(), rows, std::ssize(values) / rows);
}

struct CalibrationData {
  Dense<double> logits = calibration_table("logits.csv");
  Dense<double> features = calibration_table("features.csv");
  std::vector<Index> truth;
  nlohmann::json expected = calibration_json("expected.json");

  CalibrationData() {
    const Dense<double> labels = calibration_table("labels.csv");
    for (Index i = 0; i < labels.rows(); ++i) {
      truth.push_back(static_cast<Index>(labels(i, 0)));
    }
  }

  [[nodiscard]] Dense<double> val() const { return logits.topRows(1000); }

  [[nodiscard]] Dense<double> test() const { return logits.bottomRows(1000); }

  [[nodiscard]] std::vector<Index> val_truth() const {
    return {truth.begin(), truth.begin() + 1000};
  }

  [[nodiscard]] std::vector<Index> test_truth() const {
    return {truth.begin() + 1000, truth.end()};
  }
};

inline const CalibrationData& calibration_data() {
  static const CalibrationData data;
  return data;
}

}  // namespace tyto::testing_support
