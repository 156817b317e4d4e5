// SPDX-License-Identifier: Apache-2.0
// Some of many samples, such that small classes are among them.
#pragma once

#include <string>
#include <vector>

#include "tyto/core/random.hpp"

namespace tyto {

// At most `most` places in `labels`, ascending; all of them if there are no more. A quarter is
// shared out equally among the classes, as far as each has samples, the rest in proportion to what
// they have left. Within a class the samples are drawn at random; the order of other classes does
// not matter.
std::vector<Index> spread_sample(const std::vector<std::string>& labels, Index most,
                                 const Rng& rng);

}  // namespace tyto
