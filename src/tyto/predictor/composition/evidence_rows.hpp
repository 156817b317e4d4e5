// SPDX-License-Identifier: Apache-2.0
// Evidence that is worked out block by block, put together again; and some rows of it.
#pragma once

#include "tyto/parts/evidence.hpp"

namespace tyto {

// Puts the rows of a block where they belong in the evidence of all samples.
void add_block(const Evidence& block, Index begin, Evidence& all);

// These rows, ascending, without their frames and neighbours.
Evidence picked(const Evidence& evidence, Rows rows);

}  // namespace tyto
