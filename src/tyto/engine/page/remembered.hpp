// SPDX-License-Identifier: Apache-2.0
// What the memory of an arm held at its last commit, without making its predictor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tyto/record/run_folder.hpp"
#include "tyto/sample/saved.hpp"

namespace tyto {

struct Remembered {
  Samples samples;
  std::vector<std::string> labels;  // "unknown" for a sample without one
};

// Nothing where nothing is committed yet, or there is no memory. Throws Error(state) where the
// store that it refers to is not on the shelf.
Remembered remembered_by(const RunFolder& folder, std::string_view arm, const Shelf& shelf);

}  // namespace tyto
