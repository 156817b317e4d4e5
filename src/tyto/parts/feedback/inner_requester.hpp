// SPDX-License-Identifier: Apache-2.0
// Requesters that ask others: what those within look at together.
#pragma once

#include <span>

#include "tyto/parts/nested_part.hpp"

namespace tyto {

// Drops from a block what every one of them drops.
void drop_what_all_drop(Evidence& block, std::span<const Nested<Requester>> inner);

}  // namespace tyto
