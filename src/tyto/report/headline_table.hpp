// SPDX-License-Identifier: Apache-2.0
// The outcome of a run in one table with a legend in plain words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tyto/measure/headline.hpp"

namespace tyto {

struct HeadlineArm {
  std::string predictor, feedback;  // "ann", "50 %"
  std::vector<HeadlineNumber> numbers;
};

std::string headline_table(std::span<const HeadlineArm> arms);

}  // namespace tyto
