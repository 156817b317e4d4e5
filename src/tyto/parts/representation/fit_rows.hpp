// SPDX-License-Identifier: Apache-2.0
// Raw features of all fit rows, for representations that look at them once.
#pragma once

#include <string_view>

#include "tyto/math/class_statistics.hpp"
#include "tyto/math/row_scatter.hpp"
#include "tyto/parts/slots.hpp"

namespace tyto {

// Mean and scatter of every row with Role::fit, labelled or not, as one class. An Error names `who`
// when there are no such rows.
ClassStatistics fit_row_statistics(const Experience& experience, Scatter scatter,
                                   std::string_view who, Work& work);

// The same for main directions.
RowScatter fit_row_scatter(const Experience& experience, std::string_view who, Work& work);

}  // namespace tyto
