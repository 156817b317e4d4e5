// SPDX-License-Identifier: Apache-2.0
// The nearest rows of other classes: what margins are measured by.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// Brings up to date, for every row, its squared distances to the nearest rows of other classes:
// `tails` has a row each, ascending, infinity where there are fewer of them. Rows before
// `first_new` have their tails from before and gain the new rows; pairs of old rows count as seen.
// The new rows' tails are made from all rows. Returns, for each old row, 1 where its tail has
// changed.
//
// Each product of two blocks serves both sides: n^2 d / 2 multiplications for n new rows. As in
// NearestK, it only rules out what is certainly too far, so the answer depends on neither blocks
// nor threads nor the order of rows. Memory besides the tails: one block of products. `pulse` is
// called after each block.
std::vector<std::uint8_t> update_other_class_tails(const MatrixView& rows,
                                                   std::span<const std::int32_t> classes,
                                                   Index first_new, Matrix& tails,
                                                   const std::function<void()>& pulse);

}  // namespace tyto
