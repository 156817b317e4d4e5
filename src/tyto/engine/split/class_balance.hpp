// SPDX-License-Identifier: Apache-2.0
// How many samples the classes of a schedule have, and how evenly.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "tyto/world/increments/increments.hpp"

namespace tyto {

struct ClassSize {
  std::string name;
  Index first = 0;                // increment that shows it first
  bool is_start = false;          // known from the start
  std::array<Index, 3> by_split;  // as kSideNames

  [[nodiscard]] Index samples() const { return by_split[0] + by_split[1] + by_split[2]; }
};

// Start classes, then the others by first increment; in each block the largest first, ties by name.
std::vector<ClassSize> class_sizes(const Schedule& schedule, const IndexTable& table);

struct Balance {
  Index classes = 0, samples = 0, fewest = 0, most = 0;
  double median = 0;
  // Entropy of the shares over its maximum: 1 where all classes are of one size; of one class 1.
  double evenness = 1;
};

Balance balance_of(std::span<const ClassSize> sizes);

}  // namespace tyto
