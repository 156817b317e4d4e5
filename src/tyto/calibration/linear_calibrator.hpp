// SPDX-License-Identifier: Apache-2.0
// What the calibrators that multiply scores share: parameters, columns, impossible classes.
#pragma once

#include "tyto/calibration/linear_scaling.hpp"
#include "tyto/calibration/score_calibrator.hpp"

namespace tyto {

class LinearCalibrator : public ScoreCalibrator {
 public:
  [[nodiscard]] Parameters parameters() const override;
  void set(const Parameters& given) override;

 protected:
  [[nodiscard]] virtual Dense<double> inputs(const Scores& logits) const = 0;  // finite

  [[nodiscard]] Dense<double> do_apply(const Scores& logits, const Dense<double>*) const override;

  LinearScaling fit_;
  double temperature_ = 1;  // fitted first
};

}  // namespace tyto
