// SPDX-License-Identifier: Apache-2.0
// Plain hand-made features of a window of six inertial channels.
//
// Each of acc_x ... gyr_z: mean, std, min, max, slope (mean absolute difference per second),
// crossings (of the mean, per second), peak_hz (frequency of most power) and the root mean square
// in three bands: low below 1.2 Hz, mid below 3.5, high above; each without the mean.
// The norms of both sensors, acc_norm and gyr_norm: mean, std, q10, q90, crossings, peak_hz and the
// entropy of the spectrum in [0, 1]. The energy of both: mean square about the mean, all axes.
// Correlations of axis pairs within and across the sensors. A constant channel has crossings,
// peak_hz, entropy and correlations 0.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

std::vector<std::string> window_feature_names();

// `signal` is 6 x length, length 8 or more; O(length log length).
Vector window_features(const MatrixView& signal, double rate);

}  // namespace tyto
