// SPDX-License-Identifier: Apache-2.0
// The check sets of calibration, logits with expected values: the small one that
// tests/golden/make_calibration.py makes, and a larger one of 2000 rows where it is at hand.
#pragma once

#include <charconv>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/places.hpp"
#include <nlohmann/json.hpp>

#include "tyto/core/matrix.hpp"

namespace tyto::testing_support {

// The first half of the rows is there to fit on, the second to test.
struct CalibrationData {
  std::string name;
  Dense<double> logits, features;
  std::vector<Index> truth;
  std::vector<double> uniforms;  // a draw for each row
  nlohmann::json expected, edge_cases;
  nlohmann::json tables;  // fitted matrices by name

  [[nodiscard]] Index half() const { return logits.rows() / 2; }

  [[nodiscard]] Index classes() const { return logits.cols(); }

  [[nodiscard]] Dense<double> val() const { return logits.topRows(half()); }

  [[nodiscard]] Dense<double> test() const { return logits.bottomRows(half()); }

  [[nodiscard]] Dense<double> val_features() const { return features.topRows(half()); }

  [[nodiscard]] Dense<double> test_features() const { return features.bottomRows(half()); }

  [[nodiscard]] std::vector<Index> val_truth() const {
    return {truth.begin(), truth.begin() + half()};
  }

  [[nodiscard]] std::vector<Index> test_truth() const {
    return {truth.begin() + half(), truth.end()};
  }
};

inline Dense<double> json_table(const nlohmann::json& rows) {
  Dense<double> table(std::ssize(rows), std::ssize(rows.at(0)));
  for (Index i = 0; i < table.rows(); ++i) {
    for (Index j = 0; j < table.cols(); ++j) {
      table(i, j) = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
    }
  }
  return table;
}

inline nlohmann::json parsed_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("cannot open " + path.string());
  }
  return nlohmann::json::parse(file);
}

inline nlohmann::json csv_as_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  auto rows = nlohmann::json::array();
  for (std::string line; std::getline(file, line);) {
    auto row = nlohmann::json::array();
    const char* end = line.data() + line.size();
    for (const char* at = line.data(); at < end; ++at) {
      double value = 0.0;
      at = std::from_chars(at, end, value).ptr;
      row.push_back(value);
    }
    rows.push_back(row);
  }
  return rows;
}

inline CalibrationData small_calibration_set() {
  const nlohmann::json all = parsed_file(in_tree("/tests/golden/calibration.json"));
  return {"tests/golden",
          json_table(all["logits"]),
          json_table(all["features"]),
          all["labels"].get<std::vector<Index>>(),
          all["uniforms"].get<std::vector<double>>(),
          all["expected"],
          all["edge_cases"],
          all["tables"]};
}

inline CalibrationData large_calibration_set(const std::filesystem::path& folder) {
  CalibrationData data{"shared/data",
                       json_table(csv_as_json(folder / "logits.csv")),
                       json_table(csv_as_json(folder / "features.csv")),
                       {},
                       {},
                       parsed_file(folder / "expected.json"),
                       parsed_file(folder / "edge_cases.json"),
                       {}};
  for (const auto& row : csv_as_json(folder / "labels.csv")) {
    data.truth.push_back(static_cast<Index>(row.at(0).get<double>()));
  }
  for (const auto& row : csv_as_json(folder / "uniforms.csv")) {
    data.uniforms.push_back(row.at(0));
  }
  for (const char* name : {"matrix_scaling_odir_Wb", "dirichlet_odir_Wb"}) {
    data.tables[name] = csv_as_json(folder / (std::string(name) + ".csv"));
  }
  return data;
}

inline const std::vector<CalibrationData>& calibration_sets() {
  static const std::vector<CalibrationData> sets = [] {
    std::vector<CalibrationData> made{small_calibration_set()};
    const std::filesystem::path large = in_tree("/../shared/data/calibration");
    if (std::filesystem::exists(large / "expected.json")) {
      made.push_back(large_calibration_set(large));
    }
    return made;
  }();
  return sets;
}

}  // namespace tyto::testing_support
