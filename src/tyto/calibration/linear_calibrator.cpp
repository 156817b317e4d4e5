// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/linear_calibrator.hpp"

#include <limits>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

Parameters LinearCalibrator::parameters() const {
  return {{"temperature", as_parameter(temperature_)},
          {"weight", fit_.weight},
          {"bias", as_parameter(fit_.bias)},
          {"objective", as_parameter(fit_.objective)},
          {"slope", as_parameter(fit_.slope)}};
}

void LinearCalibrator::set(const Parameters& given) {
  LinearScaling fit;
  fit.weight = parameter(given, "weight");
  fit.bias = parameter(given, "bias").transpose();
  fit.objective = number_parameter(given, "objective");
  fit.slope = number_parameter(given, "slope");
  temperature_ = number_parameter(given, "temperature");
  fit_ = std::move(fit);
}

Dense<double> LinearCalibrator::do_apply(const Scores& logits, const Dense<double>*) const {
  if (logits.cols() != fit_.bias.size()) {
    throw Error(ErrorKind::data,
                fmt::format("the scores have {} columns, but the calibrator was fitted on {}",
                            logits.cols(), fit_.bias.size()));
  }
  Dense<double> out = scaled(inputs(logits), fit_);
  constexpr double kImpossible = -std::numeric_limits<double>::infinity();
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      if (logits(i, j) == kImpossible) {
        out(i, j) = kImpossible;
      }
    }
  }
  return out;
}

}  // namespace tyto
