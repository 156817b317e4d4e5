// SPDX-License-Identifier: Apache-2.0
// First neighbours that are nearly always the nearest, and how often they are. The door to
// libtyto_faiss.so, which alone links Faiss and is opened when first asked for.
#pragma once

#include <string>

#include "tyto/cluster/first_neighbours.hpp"

namespace tyto {

struct ApproximateNeighbours {
  FirstNeighbours first;
  std::string method;   // "Faiss IVF, 224 lists, 8 searched"
  double recall = 0.0;  // share of `sample` rows whose neighbour is none farther than the nearest
  Index sample = 0;
};

// At least two rows; cosine or euclidean. The candidates are measured as first_neighbours() would.
ApproximateNeighbours approximate_neighbours(const MatrixView& rows, Metric metric);

struct FaissModule : Interface {
  // The `k` likeliest rows near each row by Euclidean distance, itself among them; -1: none found.
  [[nodiscard]] virtual Dense<std::int32_t> candidates(const MatrixView& rows, Index lists,
                                                       Index searched, Index k) const = 0;
};

}  // namespace tyto
