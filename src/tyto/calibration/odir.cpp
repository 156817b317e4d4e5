// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/odir.hpp"

#include "tyto/calibration/temperature_fit.hpp"

namespace tyto {

void OdirCalibrator::do_fit(const CalibrationSet& known, Work&) {
  const Dense<double> rows = inputs(known.logits);
  const double temperature = fit_temperature<double>(rows, known.truth).temperature;
  fit_ = fit_full(rows, known.truth, temperature, options_.lambda, options_.mu);
  temperature_ = temperature;
}

}  // namespace tyto
