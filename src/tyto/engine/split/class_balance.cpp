// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/split/class_balance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tyto {

std::vector<ClassSize> class_sizes(const Schedule& schedule, const IndexTable& table) {
  std::vector<ClassSize> sizes;
  std::map<std::string_view, std::size_t> place;
  for (const auto& [name, first] : schedule.first_shown) {
    place[name] = sizes.size();
    sizes.push_back({name, std::max<Index>(0, first), first < 0, {}});
  }
  for (const Increment& increment : schedule.increments) {
    for (std::size_t side = 0; side < increment.splits.size(); ++side) {
      for (const Index row : increment.splits[side].row) {
        ++sizes[place.at(table.label[static_cast<std::size_t>(row)])].by_split[side];
      }
    }
  }
  std::sort(sizes.begin(), sizes.end(), [](const ClassSize& a, const ClassSize& b) {
    return std::tuple(!a.is_start, a.first, -a.samples(), std::string_view(a.name)) <
           std::tuple(!b.is_start, b.first, -b.samples(), std::string_view(b.name));
  });
  return sizes;
}

Balance balance_of(std::span<const ClassSize> sizes) {
  Balance balance;
  if (sizes.empty()) {
    return balance;
  }
  std::vector<Index> counts;
  for (const ClassSize& size : sizes) {
    counts.push_back(size.samples());
    balance.samples += counts.back();
  }
  std::sort(counts.begin(), counts.end());
  balance.classes = std::ssize(counts);
  balance.fewest = counts.front();
  balance.most = counts.back();
  const std::size_t middle = counts.size() / 2;
  balance.median = counts.size() % 2 == 1
                       ? static_cast<double>(counts[middle])
                       : static_cast<double>(counts[middle - 1] + counts[middle]) / 2;
  if (counts.size() > 1 && balance.samples > 0) {
    double entropy = 0;
    for (const Index count : counts) {
      const double share = static_cast<double>(count) / static_cast<double>(balance.samples);
      entropy -= count == 0 ? 0 : share * std::log(share);
    }
    balance.evenness = entropy / std::log(static_cast<double>(counts.size()));
  }
  return balance;
}

}  // namespace tyto
