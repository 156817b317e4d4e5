// SPDX-License-Identifier: Apache-2.0
// Class statistics of everything learned so far, kept up by adding each lesson's new rows.
#pragma once

#include "tyto/math/class_statistics.hpp"
#include "tyto/parts/slots.hpp"

namespace tyto {

// Adds the labelled fit rows from fresh() on; begins anew where the experience starts over.
void learn_statistics(ClassStatistics& statistics, Scatter scatter, const Experience& experience,
                      Work& work);

std::vector<Label> class_labels(const ClassStatistics& statistics);

}  // namespace tyto
