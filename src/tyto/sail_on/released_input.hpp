// SPDX-License-Identifier: Apache-2.0
// Posted rows and the truth of a test as the public server pairs them.
#pragma once

#include <string_view>

#include "tyto/sail_on/released_evaluation.hpp"
#include "tyto/sail_on/test_data.hpp"

namespace tyto::sail_on {

// `detection` and `classification` are CSV texts, the sample's id first. As the server's: of image
// tests every sample from the red light on counts as novel. Throws Error(data) naming text, line
// and column of what is not a number.
ReleasedInput released_input(const TestData& test, std::string_view detection,
                             std::string_view classification);

}  // namespace tyto::sail_on
