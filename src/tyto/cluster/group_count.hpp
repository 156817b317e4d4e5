// SPDX-License-Identifier: Apache-2.0
// How many groups there are, where some rows have a class.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "tyto/core/matrix.hpp"
#include "tyto/core/progress.hpp"

namespace tyto {

struct GroupEstimate {
  std::string how;       // "golden", "brent", "bisection", "dp" or "bic"
  Index max_groups = 0;  // the most tried
};

// Never below `classes` (at least 1), nor above the number of rows where classes allow it. `pinned`
// has the class of each row, -1: none. By how well labelled rows are found again: plain k-means,
// one start for each number tried, since pinned rows would be right whatever the number; ties go to
// more groups, since merging classes nobody has labelled costs no labelled row.
Index estimate_groups(const MatrixView& rows, std::span<const std::int32_t> pinned, Index classes,
                      const GroupEstimate& estimate, Work& work);

// The argument of the greatest value seen, ties to the greater; no argument is valued twice.
using ValueOf = std::function<double(Index)>;
// Exact where the value rises, then falls: O(log(high - low)) calls.
Index golden_section(Index low, Index high, const ValueOf& value);
// Bounded minimisation by parabolas and golden sections (Brent 1973, as in scipy) of the value with
// its argument truncated to a whole number.
Index brent_search(Index low, Index high, const ValueOf& value);
// As published for category discovery: of low, middle and high, the half beside the better end is
// kept, floor(log2(high - low)) times.
Index bisection(Index low, Index high, const ValueOf& value);

}  // namespace tyto
