// SPDX-License-Identifier: Apache-2.0
// What detectors and requesters ask of the columns of known classes, leaving `unknown` aside.
#pragma once

#include <vector>

#include "tyto/parts/evidence.hpp"

namespace tyto {

std::vector<Index> known_columns(const Evidence& evidence);

// These columns of `values`, which has one per entry of evidence.classes. `who` asks: an Error
// names it when the classifier knows no class yet.
Matrix known_part(const Evidence& evidence, const Matrix& values, std::string_view who);

// Softmax of the classifier's own scores. Detectors read these, not the calibrated ones: what is
// called novel does not change with the confidence that is told.
Matrix own_probability(const Evidence& evidence);

}  // namespace tyto
