// SPDX-License-Identifier: Apache-2.0
// What a world says of the observation of each sample (record/observed_columns.hpp), as far as it
// holds at the step of a phase.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tyto/record/record.hpp"

namespace tyto {

// By sample of the phase; a column is empty where the world says nothing of it.
struct Observed {
  // New to a sensor that has seen the known classes unaltered: it is altered now, or it looks like
  // a class that none of the known ones looks like.
  std::vector<std::uint8_t> is_new;
  // Not a number where it is not told of this sample, or the sample is seen altered.
  std::vector<float> least_error, least_error_unknown;
  std::vector<float> dissimilarity;  // not a number: there was nothing before, or none is told
};

// Throws Error(data) naming phase, sample and column where a number is none.
Observed observe(const Phase& phase, const Truth& truth, const std::vector<std::string>& known);

}  // namespace tyto
