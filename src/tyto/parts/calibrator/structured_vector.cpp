// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/calibrator/score_calibration.hpp"

namespace tyto {

PartSpec structured_vector_spec() {
  return score_calibration_spec("structured_vector");
}

}  // namespace tyto
