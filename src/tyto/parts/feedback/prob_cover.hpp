// SPDX-License-Identifier: Apache-2.0
// Balls about labelled rows that cover as many rows as can be (Yehuda et al. 2022).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tyto/core/progress.hpp"

namespace tyto {

// The largest radius, squared, at which a share `purity` of the open balls about rows hold rows of
// one group only; infinite where there is one group. Judged on `judges`, O(judges n d) time.
float pure_radius(const MatrixView& rows, std::span<const std::int32_t> group, Rows judges,
                  double purity);

// Rows in an order such that each covers most of the rows not covered yet: those within the open
// ball of squared radius `radius` about it, itself included; ties to the lower row. Rows that are
// `covered` at first need no cover. Once all are covered, it begins anew with the rows not taken.
// min(picks, n) rows. O(n^2 d) time per time around, O(n) memory and a fixed buffer.
std::vector<Index> cover_greedily(const MatrixView& rows, float radius, std::vector<bool> covered,
                                  Index picks, Progress& progress);

}  // namespace tyto
