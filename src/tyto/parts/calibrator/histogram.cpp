// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/calibrator/score_calibration.hpp"

namespace tyto {

PartSpec histogram_spec() {
  return score_calibration_spec("histogram");
}

}  // namespace tyto
