// SPDX-License-Identifier: Apache-2.0
// Which points of a detection curve a page needs: few enough to send, and none that a reader who
// weighs costs would have chosen left out.
#pragma once

#include <vector>

#include "tyto/measure/detection/curve.hpp"

namespace tyto {

// Places of the points that are the cheapest for some costs: corners of the convex hull of the ROC
// curve, silence at its beginning. At most `most`, those that change its shape least left out.
std::vector<std::size_t> hull_places(const DetectionCurve& curve, std::size_t most);

// These, and what shows the shape of the ROC curve, of the same over a logarithm of the false
// alarms, and of precision and recall; `each` of either at most. Ascending. All are empty where one
// kind of sample is missing.
std::vector<std::size_t> shown_places(const DetectionCurve& curve, std::size_t each);

}  // namespace tyto
