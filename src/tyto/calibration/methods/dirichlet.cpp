// SPDX-License-Identifier: Apache-2.0
// Dirichlet calibration with penalties on mixing and shifts: matrix scaling of log probabilities.
#include "tyto/calibration/odir.hpp"

namespace tyto {

namespace {

class DirichletScaling final : public OdirCalibrator {
 public:
  using OdirCalibrator::OdirCalibrator;

 protected:
  [[nodiscard]] Dense<double> inputs(const Scores& logits) const override {
    return finite_scores(score_log_probabilities(logits));
  }
};

}  // namespace

CalibratorSpec dirichlet_calibrator() {
  return calibrator_spec<OdirOptions, DirichletScaling>(
      "dirichlet",
      "every class's score from all log probabilities, with penalties on the mixing and the shifts "
      "(ODIR); may change the predicted class",
      "O(n k^2) a round, some hundred rounds; k^2 numbers",
      "Kull et al., Beyond Temperature Scaling, NeurIPS 2019");
}

}  // namespace tyto
