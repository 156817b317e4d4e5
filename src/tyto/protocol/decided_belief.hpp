// SPDX-License-Identifier: Apache-2.0
// Beliefs that say what was decided. An evaluation takes the greatest number of a row for the
// decision, while a predictor first decides whether a sample is new at its stated error.
#pragma once

#include <vector>

#include "tyto/sample/prediction.hpp"

namespace tyto {

// Makes the decision of a row the entry believed in most, and that among `classes` and the sum of
// all others too: where it is not, two beliefs change places. The row still sums to one.
void believe_decision(Prediction& prediction, Index row, const std::vector<Label>& classes);

// Nothing is new: the belief falls on the known classes alone, and so does the decision.
void believe_known(Prediction& prediction, Index row, const std::vector<Label>& known);

}  // namespace tyto
