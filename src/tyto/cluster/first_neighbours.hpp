// SPDX-License-Identifier: Apache-2.0
// The nearest other row of every row of one set, exactly, and the farthest pair of some of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tyto/cluster/row_distance.hpp"

namespace tyto {

struct FirstNeighbours {  // ties to the lower row; -1 where there is no other row
  std::vector<std::int32_t> row;
  std::vector<double> distance;
};

// Called now and then, by one thread, with the share of the work done; may throw to end the call.
using Pulse = std::function<void(double)>;

// Products over the upper triangle, in blocks, of bytes where these serve, rule out what is
// certainly too far for both of a pair; the rest is measured. The answer therefore does not depend
// on blocks, threads or bytes. O(n^2 d / 2) time; memory: that of BlockProducts and a fixed buffer
// per thread.
template <class T>
FirstNeighbours first_neighbours(const RowDistance<T>& distance, const Pulse& pulse = {});

// The largest distance between any two of `these`, or `floor` if that is larger. By products too:
// O(m^2 d) time, memory O(m d).
template <class T>
double farthest_pair(const RowDistance<T>& distance, std::span<const std::int32_t> these,
                     double floor);

extern template FirstNeighbours first_neighbours(const RowDistance<float>&, const Pulse&);
extern template FirstNeighbours first_neighbours(const RowDistance<double>&, const Pulse&);
extern template double farthest_pair(const RowDistance<float>&, std::span<const std::int32_t>,
                                     double);
extern template double farthest_pair(const RowDistance<double>&, std::span<const std::int32_t>,
                                     double);

}  // namespace tyto
