// SPDX-License-Identifier: Apache-2.0
// The share of every request that is drawn at random, so that held-out samples are never ones the
// predictor chose: a threshold set on chosen samples would break its promise for all others.
#pragma once

#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// How many of the first `places` are held-out ones: round(share places), as far as there are any.
Index reserved(Index places, Index held, double share);

// Both orders in one; every prefix of t rows has reserved(t, ...) held-out ones. Where one side has
// run out the other follows.
std::vector<Index> interleave(const std::vector<Index>& held, const std::vector<Index>& asked,
                              double share);

}  // namespace tyto
