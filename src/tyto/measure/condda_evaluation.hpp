// SPDX-License-Identifier: Apache-2.0
// What an evaluation server says about a CONDDA test: our measures of it as one line of JSON.
#pragma once

#include <string>

#include "tyto/core/matrix.hpp"
#include "tyto/sail_on/test_data.hpp"

namespace tyto {

// Objects `condda` (measures of the test), `detection` (of the change) and `classes` (by novel
// class), and the list `rounds`; a value that is missing is null. Texts are CSV without header as
// posted (see record/foreign/answered_test.hpp); `round_size` 0: that of the metadata. No line end.
// Throws Error(data) naming text, line and what is wrong.
std::string evaluate_condda(const sail_on::TestData& test, const std::string& detection_csv,
                            const std::string& characterization_csv, Index round_size);

}  // namespace tyto
