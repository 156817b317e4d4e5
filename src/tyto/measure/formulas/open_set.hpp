// SPDX-License-Identifier: Apache-2.0
// Measures of open-set recognition: the known classes are to be told apart and novel samples to be
// kept out. Each is missing where it would be a share of nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "tyto/measure/formulas/ranking.hpp"
#include "tyto/measure/views.hpp"

namespace tyto {

// Scheirer 2013 with the trained classes as targets: 1 - sqrt(2 K / (K + (K + N))), K known
// classes, N novel ones met. 0 if none is novel, 1 if none is known; missing if there are no
// classes.
std::optional<double> openness(std::int64_t known_classes, std::int64_t novel_classes);

// Of the classification view: F of each known class, 2 M_kk / (t_k + p_k), meaned over those that
// have samples or were called. A novel sample taken for a known class is a false positive of it; a
// known sample called novel is missed. Novelty itself is no class here.
std::optional<double> f_measure(const Confusion& classification);
// The same of the counts summed over the known classes: frequent classes weigh more.
std::optional<double> f_measure_micro(const Confusion& classification);

// Share of the known samples that are named right and score below the threshold, that being the
// score of the novel sample at rank ceil(novel samples / one_in), the lowest score first: less than
// one in so many novel ones is let in.
std::optional<double> ccr_at_fpr(const NoveltyRanking& ranking, std::int64_t one_in);

// Area under the share named right and let in over the share of novel samples let in; straight
// lines across ties. The chance that a known sample is named right and scores below a novel one.
std::optional<double> oscr(const NoveltyRanking& ranking);

}  // namespace tyto
