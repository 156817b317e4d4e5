// SPDX-License-Identifier: Apache-2.0
// A number that is not finite is found before a run begins, where the sample still has a name.
#pragma once

#include <string_view>

#include "tyto/data/dataset.hpp"

namespace tyto {

// Reads the source once, in blocks. Throws Error(data) that names dataset, sample, column and
// value.
void expect_finite(const Dataset& dataset, std::string_view source = "features");

}  // namespace tyto
