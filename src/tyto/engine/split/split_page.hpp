// SPDX-License-Identifier: Apache-2.0
// A split as one self-contained page: samples and classes of each increment, and how many samples
// the classes have. Nothing is fetched and no script runs.
#pragma once

#include <string>

#include "tyto/engine/split/build_split.hpp"

namespace tyto {

std::string split_page(const SplitPlan& plan, const BuiltSplit& built);

}  // namespace tyto
