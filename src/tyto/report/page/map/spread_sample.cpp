// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/map/spread_sample.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace tyto {

namespace {

// How many of each class, by the sizes of the classes.
std::vector<Index> quotas(const std::vector<Index>& sizes, Index most) {
  const auto classes = static_cast<Index>(sizes.size());
  const Index equal = std::max<Index>(1, most / 4 / classes);
  std::vector<Index> out;
  Index left = most;
  Index waiting = 0;  // samples beyond the equal share
  for (const Index size : sizes) {
    out.push_back(std::min({size, equal, left}));
    left -= out.back();
    waiting += size - out.back();
  }
  const Index to_share = std::min(left, waiting);
  std::vector<std::pair<Index, std::size_t>> remainders;  // of the division, by class
  for (std::size_t c = 0; c < sizes.size() && waiting > 0; ++c) {
    const Index product = to_share * (sizes[c] - out[c]);
    remainders.emplace_back(product % waiting, c);
    out[c] += product / waiting;
    left -= product / waiting;
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [remainder, c] : remainders) {
    if (left > 0 && out[c] < sizes[c]) {
      ++out[c];
      --left;
    }
  }
  return out;
}

}  // namespace

std::vector<Index> spread_sample(const std::vector<std::string>& labels, Index most,
                                 const Rng& rng) {
  std::vector<Index> chosen(labels.size());
  std::iota(chosen.begin(), chosen.end(), Index{0});
  if (static_cast<Index>(labels.size()) <= most) {
    return chosen;
  }
  std::map<std::string, std::vector<Index>> classes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    classes[labels[i]].push_back(static_cast<Index>(i));
  }
  std::vector<Index> sizes;
  for (const auto& [label, rows] : classes) {
    sizes.push_back(static_cast<Index>(rows.size()));
  }
  const std::vector<Index> quota = quotas(sizes, most);
  chosen.clear();
  std::size_t c = 0;
  for (auto& [label, rows] : classes) {
    rng.fork(label).shuffle(rows);
    chosen.insert(chosen.end(), rows.begin(), rows.begin() + quota[c++]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace tyto
