// SPDX-License-Identifier: Apache-2.0
// How unlike anything before it each observation is. It is told with the truth, for the measures.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct IncrementPlan;

constexpr std::array<std::string_view, 3> kDissimilarityKinds{"none", "euclidean", "cosine"};

// Of each row to the nearest row of the blocks, of which there is at least one: Euclidean, or
// 1 - cosine. A row of zeros has no direction: 1, and among the blocks it is passed over.
std::vector<double> nearest_dissimilarity(const MatrixView& rows, const std::vector<Matrix>& blocks,
                                          std::string_view kind);

// Annotates the truth with that of each sample to all samples of earlier steps, as they were shown;
// nothing at the first step. O(samples^2 x width) time; holds all features.
void add_dissimilarity(IncrementPlan& plan, std::string_view kind);

}  // namespace tyto
