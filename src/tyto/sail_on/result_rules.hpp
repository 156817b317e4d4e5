// SPDX-License-Identifier: Apache-2.0
// What rows an agent posts must look like, said with row and column before they are stored rather
// than when an evaluation fails on them.
#pragma once

#include <functional>
#include <string_view>

namespace tyto::sail_on {

// Throws Refused(400, InvalidResults). Detection, classification and characterization need an id
// and probabilities in [0, 1], equally many in every row; they need not sum to one, nor rise, and
// rows may be those of any round. Other types are free, but must be UTF-8.
void check_results(std::string_view type, std::string_view rows,
                   const std::function<bool(std::string_view)>& is_sample);

}  // namespace tyto::sail_on
