// SPDX-License-Identifier: Apache-2.0
// Whether a matrix holds numbers only. Every batch is asked, so it must cost no more than a read.
#pragma once

#include "tyto/core/matrix.hpp"

namespace tyto {

bool all_finite(const MatrixView& values);  // in parallel, a vector of values at a time

}  // namespace tyto
