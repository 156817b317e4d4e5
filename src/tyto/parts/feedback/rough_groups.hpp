// SPDX-License-Identifier: Apache-2.0
// Groups of a batch by k-means, for requesters that want their labels spread over them.
#pragma once

#include "tyto/cluster/clusterer.hpp"

namespace tyto {

// At most min(groups, n) groups. Centres are found on at most 256 rows per group, drawn at random;
// then every row joins the nearest. O(n k d) time.
Grouping rough_groups(const MatrixView& rows, Index groups, Work& work);

}  // namespace tyto
