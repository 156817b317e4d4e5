// SPDX-License-Identifier: Apache-2.0
// Rows scaled to length 1.
#pragma once

#include "tyto/core/matrix.hpp"

namespace tyto {

// Rows of zeros stay zeros. O(n d).
Matrix unit_rows(Matrix rows);

}  // namespace tyto
