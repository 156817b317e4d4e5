// SPDX-License-Identifier: Apache-2.0
// The shares a newcomer asks for: how often new things are noticed, how often familiar ones are
// mistaken for new, and how often familiar ones get their right name. Each is missing where it
// would be a share of nothing.
#pragma once

#include <optional>

#include "tyto/measure/views.hpp"

namespace tyto {

// Of the detection view. Samples of known classes called novel: the error really made, to be held
// against the error the detector was told to accept.
std::optional<double> false_alarm_rate(const Confusion& detection);
// Samples of novel classes called novel.
std::optional<double> detection_rate(const Confusion& detection);
// Samples called novel that are.
std::optional<double> alarm_precision(const Confusion& detection);

// Of the classification view. Samples of known classes given their right name; one called novel
// is wrong.
std::optional<double> known_accuracy(const Confusion& classification);
// The same among those not called novel.
std::optional<double> accepted_accuracy(const Confusion& classification);

}  // namespace tyto
