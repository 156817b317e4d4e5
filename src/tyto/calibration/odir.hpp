// SPDX-License-Identifier: Apache-2.0
// A matrix on the scores, with off-diagonal and intercept regularisation (Kull et al. 2019):
// penalties added to the mean loss.
#pragma once

#include "tyto/calibration/linear_calibrator.hpp"

namespace tyto {

struct OdirOptions {
  double lambda = 1e-3, mu = 1e-3;

  void describe(OptionVisitor& v) {
    v.field("lambda", lambda, {0.0, 1e6}, "penalty on the sum of squared weights off the diagonal");
    v.field("mu", mu, {0.0, 1e6}, "penalty on the sum of squared shifts");
  }
};

class OdirCalibrator : public LinearCalibrator {
 public:
  explicit OdirCalibrator(OdirOptions options) : options_(options) {}

 protected:
  void do_fit(const CalibrationSet& known, Work&) final;

 private:
  OdirOptions options_;
};

}  // namespace tyto
