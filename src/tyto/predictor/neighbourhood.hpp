// SPDX-License-Identifier: Apache-2.0
// Nearest remembered fit samples of a batch, found on first use in one blocked pass over the
// memory: O(n m d) time, O(block) memory besides the answer.
#pragma once

#include <functional>
#include <memory>

#include "tyto/parts/slots.hpp"

namespace tyto {

using Represent = std::function<Matrix(const Samples&)>;

// Borrows the memory; the result must not outlive the call it was made for.
std::shared_ptr<Neighbourhood> nearest_remembered(const Matrix& features, const Memory& memory,
                                                  Represent represent, Index k);

}  // namespace tyto
