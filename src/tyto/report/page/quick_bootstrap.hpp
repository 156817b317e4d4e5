// SPDX-License-Identifier: Apache-2.0
// Bootstrap intervals of the headline numbers at the price of a page.
#pragma once

#include <span>
#include <vector>

#include "tyto/measure/intervals/bootstrap.hpp"

namespace tyto {

bool has_quick_interval(const MeasureColumn& column);

// Over all increments, by column: what bootstrap_intervals gives, for the shares and the AUROC of
// the headline and for accuracy, MCC and NMI; missing for other measures. Shares are counted sample
// by sample, so that a resample costs O(samples) whatever the number of classes. MCC and NMI take
// one matrix of all increments over the names that occur, where the general way makes four for
// each increment over all names there are: a group of few samples is as quick as it is small.
std::vector<Interval> quick_intervals(std::span<const PhaseView> steps, Columns columns,
                                      const BootstrapOptions& options);

}  // namespace tyto
