// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/calibrator/score_calibration.hpp"

namespace tyto {

PartSpec platt_spec() {
  return score_calibration_spec("platt");
}

}  // namespace tyto
