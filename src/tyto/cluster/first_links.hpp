// SPDX-License-Identifier: Apache-2.0
// What first neighbours link: i and j if one is the other's first neighbour or both have the same.
// A link of mutual neighbours weighs 2, any other 1.
#pragma once

#include <limits>

#include "tyto/cluster/clusterer.hpp"
#include "tyto/cluster/first_neighbours.hpp"

namespace tyto {

enum class LinkWeight { shared, binary };  // binary: mutual neighbours weigh 1 as well

// The largest weight x distance of a link. Pairs of a hub's followers are ruled out by their
// distances to the hub first, then by products: O(n) for equal rows, memory bounded by blocks.
template <class T>
double longest_link(const RowDistance<T>& distance, const FirstNeighbours& first,
                    LinkWeight weight);

// Connected components of the links whose weight x distance is at most `cut`, found from the edges
// to the first neighbours and, where a mutual pair is cut, from one link past it. O(n).
template <class T>
Grouping linked_groups(const RowDistance<T>& distance, const FirstNeighbours& first,
                       double cut = std::numeric_limits<double>::infinity(),
                       LinkWeight weight = LinkWeight::shared);

extern template double longest_link(const RowDistance<float>&, const FirstNeighbours&, LinkWeight);
extern template double longest_link(const RowDistance<double>&, const FirstNeighbours&, LinkWeight);
extern template Grouping linked_groups(const RowDistance<float>&, const FirstNeighbours&, double,
                                       LinkWeight);
extern template Grouping linked_groups(const RowDistance<double>&, const FirstNeighbours&, double,
                                       LinkWeight);

}  // namespace tyto
