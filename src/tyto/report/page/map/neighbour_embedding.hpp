// SPDX-License-Identifier: Apache-2.0
// Rows laid out in the plane such that neighbours stay neighbours (in the manner of McInnes et al.,
// UMAP, 2018, with exact neighbours, a start from the principal plane and the kernel 1 / (1 + a
// d^2)). Distances between far groups and the sizes of groups mean little.
#pragma once

#include <cstdint>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct EmbeddingOptions {
  Index neighbours = 15;  // fewer where there are fewer rows
  Index epochs = 300;
  std::uint64_t seed = 1;
};

// n x 2, centred. Any number of rows from 0 on, duplicates included. The moves are made in one
// fixed order by one thread: the same rows and seed give the same bytes at any number of threads.
// O(n^2 d) time for the neighbours, O(n k) for an epoch. Throws Error(data) for a value that is no
// number.
Matrix neighbour_embedding(const MatrixView& rows, const EmbeddingOptions& options = {});

}  // namespace tyto
