// SPDX-License-Identifier: Apache-2.0
// What a detection curve comes to whatever the threshold. All are missing where there are no novel
// samples or no normal ones.
#pragma once

#include <optional>

#include "tyto/measure/detection/curve.hpp"

namespace tyto {

// Chance that a novel sample scores above a normal one, ties counting half. No prior moves it.
std::optional<double> auroc(const DetectionCurve& curve);

// Area below straight lines through the points (recall, precision), from (0, 1) on: the AUPRC of
// many papers. A line drawn across a great tie promises trades that no threshold can make.
std::optional<double> precision_recall_trapezoids(const DetectionCurve& curve,
                                                  double normal_weight);

// Mean of the precision at each novel sample: steps, no line drawn between points.
std::optional<double> average_precision(const DetectionCurve& curve, double normal_weight);

}  // namespace tyto
