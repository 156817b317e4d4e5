// SPDX-License-Identifier: Apache-2.0
// The shared-neighbour graph of rows: an edge to each near row, weighted by how many near rows the
// two have in common.
#pragma once

#include "tyto/cluster/leiden.hpp"
#include "tyto/math/neighbours.hpp"

namespace tyto {

// The k nearest rows of each among the others: at most rows - 1. O(n^2 d) time, O(n (d + k))
// memory.
Dense<std::int32_t> near_rows(const MatrixView& rows, Index k);

// Row i joins each row j of near.row(i); the weight is the Jaccard share of the rows that both are
// near to, every row being near to itself. O(n k log k) time plus sorting the edges.
WeightedGraph shared_neighbour_graph(const Dense<std::int32_t>& near);

}  // namespace tyto
