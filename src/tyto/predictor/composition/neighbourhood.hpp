// SPDX-License-Identifier: Apache-2.0
// The neighbours of a batch, each kind found on first use in one blocked pass: O(n m d) time over m
// remembered samples, O(n^2 d) within the batch, O(block) memory besides the answers.
#pragma once

#include <functional>
#include <memory>

#include "tyto/parts/slots.hpp"
#include "tyto/predictor/composition/neighbour_cache.hpp"

namespace tyto {

using Represent = std::function<Matrix(const Samples&)>;

struct NeighbourWants {
  Index remembered = 0, batch = 0;
};

// Borrows the memory, which may be null where nothing remembered is wanted; the result must not
// outlive the call it was made for. What `cache` knows is not searched again.
std::shared_ptr<Neighbourhood> find_neighbours(const Matrix& features, const Memory* memory,
                                               Represent represent, NeighbourWants wants,
                                               NeighbourCache* cache = nullptr);

}  // namespace tyto
