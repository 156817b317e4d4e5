// SPDX-License-Identifier: Apache-2.0
// A run in plain words: what was known, what arrived, what was noticed, learned and forgotten, and
// what it cost.
#pragma once

#include <string>
#include <vector>

#include "tyto/report/page/ranged.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto {

// `run` is a place in source.runs; `headlines` goes by source.arms. It tells of the arm that named
// most right after feedback, ties to the first; a sentence whose numbers are missing is left out.
std::string story_of(const PageSource& source, std::size_t run,
                     const std::vector<std::vector<HeadlineNumber>>& headlines);

}  // namespace tyto
