// SPDX-License-Identifier: Apache-2.0
// Class scores one can trust. A calibrator is one file that defines
// `CalibratorSpec <name>_calibrator()` and one line in calibration/CMakeLists.txt; `tyto calibrate
// --method`, the slot `calibrator` and the tests then find it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/described.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/core/state.hpp"
#include "tyto/math/score_rows.hpp"

namespace tyto {

// Scores that were not fitted on, and their true columns; lent for the call. -infinity is an
// impossible class.
struct CalibrationSet {
  Scores logits;
  std::span<const Index> truth;
  const Dense<double>* features = nullptr;  // a row each, where needs_features()
  // A number per row, equal for samples of one subject or source; empty where nothing is known.
  std::span<const Index> groups = {};
};

// Fitted numbers by name: a number is 1 x 1, a list 1 x k.
using Parameters = std::map<std::string, Dense<double>, std::less<>>;

// `fit` is not thread safe and leaves the object as it was when it throws; `apply` may run
// concurrently. Equal input and random stream, equal answer.
struct ScoreCalibrator : Interface {
  // Throws Error(data) for what is no score, for labels that are no column and for no rows at all.
  void fit(const CalibrationSet& known, Work& work);

  // Calibrated logits: log probabilities up to a term common to a row. Columns as when fitted.
  [[nodiscard]] Dense<double> apply(const Scores& logits,
                                    const Dense<double>* features = nullptr) const;

  [[nodiscard]] virtual Parameters parameters() const = 0;
  virtual void set(const Parameters& parameters) = 0;  // throws Error(state) where one is missing

  // Whether the predicted class can never change: the class of the greatest score, the first of
  // equals, has the greatest after `apply`, up to the rounding of doubles.
  [[nodiscard]] virtual bool keeps_order() const { return false; }

  [[nodiscard]] virtual bool needs_features() const { return false; }

  // Of each row, where that is what a sample's features decide; else none.
  [[nodiscard]] virtual Eigen::VectorXd temperatures(const Dense<double>& /*features*/) const {
    return {};
  }

  // Of calibrators that train: the epochs after which the temperature of any sample can still be
  // told, 0 before the first; and how sure the predicted class of each row was then, a column an
  // epoch. Truths have no part in it, so that a test set may be asked for.
  [[nodiscard]] virtual std::vector<Index> epochs() const { return {}; }

  [[nodiscard]] Dense<double> confidence_by_epoch(const Scores& logits,
                                                  const Dense<double>* features = nullptr) const;

  // Whether parameters belong to columns: then other columns need another fit.
  [[nodiscard]] virtual bool by_column() const { return true; }

  // What a user should know of the last fit: "every answer is right ...".
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  void save(State& state) const;
  void load(const State& state);

 protected:
  virtual void do_fit(const CalibrationSet& known, Work& work) = 0;
  [[nodiscard]] virtual Dense<double> do_apply(const Scores& logits,
                                               const Dense<double>* features) const = 0;

  // A row per sample, a column per entry of epochs().
  [[nodiscard]] virtual Dense<double> temperatures_by_epoch(Index rows,
                                                            const Dense<double>* features) const;

  // What epochs() and temperatures_by_epoch() rest on, to be saved; not told as parameters.
  [[nodiscard]] virtual Parameters history() const { return {}; }

  virtual void set_history(const Parameters& /*history*/) {}

  void note(std::string text) { notes_.push_back(std::move(text)); }

 private:
  void check_features(Index rows, const Dense<double>* features) const;

  std::vector<std::string> notes_;
};

struct CalibratorSpec : Described<ScoreCalibrator> {
  bool needs_features = false;  // whatever its options
};

template <class Options, class Made>
CalibratorSpec calibrator_spec(std::string name, std::string summary, std::string cost,
                               std::string paper = "") {
  CalibratorSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.paper = std::move(paper);
  spec.cost = std::move(cost);
  describe_made<Options, Made>(spec);
  spec.needs_features = Made(Options()).needs_features();
  return spec;
}

std::span<const CalibratorSpec> calibrator_specs();  // by name

// Throws Error(config) with the likeliest spelling.
const CalibratorSpec& find_calibrator(std::string_view name);

// One of `parameters`; throws Error(state) naming it where it is missing.
const Dense<double>& parameter(const Parameters& parameters, std::string_view name);
double number_parameter(const Parameters& parameters, std::string_view name);
Dense<double> as_parameter(double value);
Dense<double> as_parameter(const Eigen::Ref<const Eigen::VectorXd>& values);  // 1 x k

}  // namespace tyto

// Example:
//
//   const auto calibrated = [](const Scores& held_out, std::span<const Index> truth,
//                              const Scores& scores) {
//     Progress quiet;
//     Work work{Rng(1), quiet};
//     const auto temperature = find_calibrator("temperature").make({}, "method");
//     temperature->fit({held_out, truth}, work);
//     return temperature->apply(scores);
//   };
