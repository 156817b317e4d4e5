// SPDX-License-Identifier: Apache-2.0
// The calibrators by name, from the list of the build file.
#include <algorithm>

#include "tyto/calibration/score_calibrator.hpp"
#include "tyto/core/named.hpp"

namespace tyto {

#define TYTO_CALIBRATOR(name) CalibratorSpec name##_calibrator();
#include "builtin_calibrators.inc"
#undef TYTO_CALIBRATOR

std::span<const CalibratorSpec> calibrator_specs() {
  static const std::vector<CalibratorSpec> specs = [] {
    std::vector<CalibratorSpec> all;
#define TYTO_CALIBRATOR(name) all.push_back(name##_calibrator());
#include "builtin_calibrators.inc"
#undef TYTO_CALIBRATOR
    std::sort(all.begin(), all.end(),
              [](const CalibratorSpec& a, const CalibratorSpec& b) { return a.name < b.name; });
    return all;
  }();
  return specs;
}

const CalibratorSpec& find_calibrator(std::string_view name) {
  return find_named(calibrator_specs(), "calibration method", name);
}

}  // namespace tyto
