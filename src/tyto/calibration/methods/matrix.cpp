// SPDX-License-Identifier: Apache-2.0
// Matrix scaling: every class's score from all of them, mixing and shifts held back by penalties.
#include "tyto/calibration/odir.hpp"

namespace tyto {

namespace {

class MatrixScaling final : public OdirCalibrator {
 public:
  using OdirCalibrator::OdirCalibrator;

 protected:
  [[nodiscard]] Dense<double> inputs(const Scores& logits) const override {
    return finite_scores(logits);
  }
};

}  // namespace

CalibratorSpec matrix_calibrator() {
  return calibrator_spec<OdirOptions, MatrixScaling>(
      "matrix",
      "every class's score from all of them, with penalties on the mixing and the shifts (ODIR); "
      "may change the predicted class",
      "O(n k^2) a round, some hundred rounds; k^2 numbers",
      "Guo et al., ICML 2017; Kull et al., Beyond Temperature Scaling, NeurIPS 2019");
}

}  // namespace tyto
