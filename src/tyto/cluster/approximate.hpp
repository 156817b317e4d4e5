// SPDX-License-Identifier: Apache-2.0
// First neighbours that are nearly always the nearest, and how often they are: the rows are put
// into lists about centres, and each is compared with those in the lists nearest to it. The door to
// libtyto_faiss.so, which finds the centres, alone links Faiss and is opened when first asked for.
#pragma once

#include <string>

#include "tyto/cluster/first_neighbours.hpp"

namespace tyto {

struct ApproximateNeighbours {
  FirstNeighbours first;
  std::string method;   // "1000 lists by Faiss, 5 searched"
  double recall = 0.0;  // share of `sample` rows whose neighbour is none farther than the nearest
  Index sample = 0;     // rows by which nothing was chosen
};

// At least two rows; cosine or euclidean. As few lists are searched as hold the nearest of 99.5 %
// of a sample; what is found is measured as first_neighbours() would. O(n^1.5 d s) time for s lists
// searched; memory O(n s) and that of a list's rows.
ApproximateNeighbours approximate_neighbours(const MatrixView& rows, Metric metric);

struct FaissModule : Interface {
  // `count` centres of these rows by k-means; at least as many rows.
  [[nodiscard]] virtual Matrix centres(const MatrixView& rows, Index count) const = 0;
};

}  // namespace tyto
