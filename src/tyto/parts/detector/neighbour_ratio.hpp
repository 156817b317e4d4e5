// SPDX-License-Identifier: Apache-2.0
// How much nearer the nearest remembered sample is than the nearest of another class.
#pragma once

#include <string_view>
#include <vector>

#include "tyto/parts/evidence.hpp"

namespace tyto {

// d(nearest) / d(nearest of another class) per sample, in [0, 1]; near 1: between the classes, or
// far from all. 1 where both are 0: the sample equals samples of two classes. 0 where one class
// alone is remembered. `who` asks: an Error names it when nothing is remembered.
std::vector<float> neighbour_ratio(const Evidence& evidence, std::string_view who);

}  // namespace tyto
