// SPDX-License-Identifier: Apache-2.0
// Rows told apart by 64 bits, for what is remembered of them.
#pragma once

#include <cstdint>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

std::vector<std::uint64_t> row_hashes(const Matrix& rows);  // of their bytes

// One number more in a hash of several.
std::uint64_t with_hash(std::uint64_t so_far, std::uint64_t more);

}  // namespace tyto
