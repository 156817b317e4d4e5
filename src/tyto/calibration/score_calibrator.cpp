// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/score_calibrator.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

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
  const Parameters history_before = history();
  const std::vector<std::string> notes_before = std::exchange(notes_, {});
  try {
    do_fit(known, work);
  } catch (...) {
    set(before);
    set_history(history_before);
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

Dense<double> ScoreCalibrator::temperatures_by_epoch(Index rows, const Dense<double>*) const {
  return Dense<double>(rows, 0);
}

Dense<double> ScoreCalibrator::confidence_by_epoch(const Scores& logits,
                                                   const Dense<double>* features) const {
  TYTO_ASSERT(keeps_order() || epochs().empty());
  if (logits.rows() > 0) {
    expect_scores(logits, "the scores");
    check_features(logits.rows(), features);
  }
  Dense<double> out = temperatures_by_epoch(logits.rows(), features);
  share_loop(out.rows(), 8 * logits.cols() * out.cols(), [&](Index i) {
    const Eigen::ArrayXd below = logits.row(i).array() - logits.row(i).maxCoeff();
    for (Index e = 0; e < out.cols(); ++e) {
      out(i, e) = 1.0 / (below / out(i, e)).exp().sum();
    }
  });
  return out;
}

namespace {

void save_parameters(State& state, const Parameters& parameters) {
  std::vector<std::string> names;
  for (const auto& [name, values] : parameters) {
    names.push_back(name);
    state.set("parameter_" + name, Dense<double>(values));
  }
  state.set("parameters", std::move(names));
}

Parameters load_parameters(const State& state) {
  Parameters loaded;
  for (const std::string& name : state.get<std::vector<std::string>>("parameters")) {
    loaded.emplace(name, state.get<Dense<double>>("parameter_" + name));
  }
  return loaded;
}

}  // namespace

void ScoreCalibrator::save(State& state) const {
  save_parameters(state, parameters());
  save_parameters(state.make_child("history"), history());
}

void ScoreCalibrator::load(const State& state) {
  set(load_parameters(state));
  set_history(load_parameters(state.child("history")));
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
