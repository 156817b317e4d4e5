// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/score_calibrator.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

void ScoreCalibrator::check_features(Index rows, const Dense<double>* features) const {
  if (!needs_features()) {
    return;
  }
  if (features == nullptr || features->rows() != rows) {
    throw Error(ErrorKind::data,
                fmt::format("this calibrator looks at features: {} rows of scores came with {}",
                            rows, features == nullptr ? 0 : features->rows()));
  }
  for (Index i = 0; i < rows; ++i) {
    if (!features->row(i).allFinite()) {
      throw Error(
          ErrorKind::data,
          fmt::format("the features: row {} (from 1) has a value that is no finite number", i + 1));
    }
  }
}

void ScoreCalibrator::fit(const CalibrationSet& known, Work& work) {
  expect_scores(known.logits, "the scores to fit on");
  expect_truth(known.truth, known.logits, "the labels to fit on");
  if (known.truth.empty()) {
    throw Error(ErrorKind::data, "there is no sample to calibrate on");
  }
  check_features(known.logits.rows(), known.features);
  for (std::size_t i = 0; i < known.truth.size(); ++i) {
    if (known.logits(static_cast<Index>(i), known.truth[i]) ==
        -std::numeric_limits<double>::infinity()) {
      throw Error(ErrorKind::data,
                  fmt::format("the scores to fit on: row {} (from 1): the true class {} has the "
                              "score -inf, so no calibration makes it possible",
                              i + 1, known.truth[i]));
    }
  }
  const Parameters before = parameters();
  const std::vector<std::string> notes_before = std::exchange(notes_, {});
  try {
    do_fit(known, work);
  } catch (...) {
    set(before);
    notes_ = notes_before;
    throw;
  }
}

Dense<double> ScoreCalibrator::apply(const Scores& logits, const Dense<double>* features) const {
  if (logits.rows() == 0) {
    return logits;
  }
  expect_scores(logits, "the scores");
  check_features(logits.rows(), features);
  return do_apply(logits, features);
}

void ScoreCalibrator::save(State& state) const {
  std::vector<std::string> names;
  for (auto& [name, values] : parameters()) {
    names.push_back(name);
    state.set("parameter_" + name, Dense<double>(values));
  }
  state.set("parameters", std::move(names));
}

void ScoreCalibrator::load(const State& state) {
  Parameters loaded;
  for (const std::string& name : state.get<std::vector<std::string>>("parameters")) {
    loaded.emplace(name, state.get<Dense<double>>("parameter_" + name));
  }
  set(loaded);
}

const Dense<double>& parameter(const Parameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) {
    throw Error(ErrorKind::state, fmt::format("the calibrator has no parameter \"{}\"", name));
  }
  return found->second;
}

double number_parameter(const Parameters& parameters, std::string_view name) {
  const Dense<double>& values = parameter(parameters, name);
  if (values.size() != 1) {
    throw Error(ErrorKind::state, fmt::format("the parameter \"{}\" is not one number", name));
  }
  return values(0, 0);
}

Dense<double> as_parameter(double value) {
  return Dense<double>::Constant(1, 1, value);
}

Dense<double> as_parameter(const Eigen::Ref<const Eigen::VectorXd>& values) {
  return values.transpose();
}

}  // namespace tyto
