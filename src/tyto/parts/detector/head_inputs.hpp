// SPDX-License-Identifier: Apache-2.0
// What the last layer of the classifier sees, for detectors that look at it.
#pragma once

#include <optional>
#include <string_view>

#include "tyto/math/class_statistics.hpp"
#include "tyto/math/row_scatter.hpp"
#include "tyto/parts/slots.hpp"

namespace tyto {

// The classifier's embedding; the features where it makes none.
const Matrix& head_inputs(const Evidence& evidence);

// The classifier's last layer without a row of `unknown`.
LinearHead known_head(const Evidence& evidence);

// Mean and scatter of the head's inputs over the labelled fit rows, as of one class. Features add
// up from lesson to lesson; an embedding moves with the classifier, so that it is gathered anew
// from all rows shown. Gives the head; nothing where no row was shown, and nothing changes.
std::optional<LinearHead> learn_head_inputs(ClassStatistics& statistics, Scatter scatter,
                                            const Experience& experience, Work& work);
std::optional<LinearHead> learn_head_inputs(RowScatter& rows, const Experience& experience,
                                            Work& work);

}  // namespace tyto
