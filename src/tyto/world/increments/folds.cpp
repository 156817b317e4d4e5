// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/folds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr double kRounding = 1e-9;  // 0.3 x 10 is 3, whatever the last bit says

// Positions of each distinct value, values by first appearance.
std::vector<std::vector<Index>> positions_by_value(Rows values) {
  std::map<Index, std::size_t> code;
  std::vector<std::vector<Index>> positions;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [entry, is_new] = code.try_emplace(values[i], positions.size());
    if (is_new) {
      positions.emplace_back();
    }
    positions[entry->second].push_back(static_cast<Index>(i));
  }
  return positions;
}

struct Group {
  std::vector<Index> rows;
  std::vector<std::pair<std::size_t, double>> counts;  // class, rows of it
};

std::vector<Group> describe_groups(Rows groups, const std::vector<std::vector<Index>>& by_class) {
  std::vector<std::size_t> class_of(groups.size());
  for (std::size_t k = 0; k < by_class.size(); ++k) {
    for (const Index row : by_class[k]) {
      class_of[at(row)] = k;
    }
  }
  std::vector<Group> described;
  for (std::vector<Index>& rows : positions_by_value(groups)) {
    std::map<std::size_t, double> counts;
    for (const Index row : rows) {
      counts[class_of[at(row)]] += 1.0;
    }
    described.push_back({std::move(rows), {counts.begin(), counts.end()}});
  }
  return described;
}

// Gives each empty part of positive share the last (smallest) group of a part with two or more.
void fill_empty_parts(const std::vector<std::size_t>& order, std::span<const double> shares,
                      std::vector<std::size_t>& part_of_group) {
  std::vector<Index> held(shares.size(), 0);
  for (const std::size_t part : part_of_group) {
    ++held[part];
  }
  for (std::size_t part = 0; part < shares.size(); ++part) {
    if (held[part] > 0 || shares[part] <= 0) {
      continue;
    }
    const auto giver = std::find_if(order.rbegin(), order.rend(), [&](std::size_t group) {
      return held[part_of_group[group]] > 1;
    });
    TYTO_ASSERT(giver != order.rend());
    --held[part_of_group[*giver]];
    ++held[part];
    part_of_group[*giver] = part;
  }
}

}  // namespace

std::vector<Index> stratified_folds(Rows classes, Index folds, Rng* shuffle) {
  TYTO_ASSERT(folds > 0);
  std::vector<Index> fold(classes.size());
  Index start = 0;  // of the class in the sorted vector
  for (const std::vector<Index>& rows : positions_by_value(classes)) {
    std::vector<Index> dealt(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      dealt[i] = (start + static_cast<Index>(i)) % folds;
    }
    std::sort(dealt.begin(), dealt.end());
    if (shuffle != nullptr) {
      shuffle->shuffle(dealt);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      fold[at(rows[i])] = dealt[i];
    }
    start += static_cast<Index>(rows.size());
  }
  return fold;
}

std::vector<Index> group_folds(Rows classes, Rows groups, std::span<const double> shares,
                               Rng* ties) {
  TYTO_ASSERT(classes.size() == groups.size());
  const auto by_class = positions_by_value(classes);
  const std::vector<Group> all = describe_groups(groups, by_class);
  const auto wanted = std::count_if(shares.begin(), shares.end(), [](double s) { return s > 0; });
  if (static_cast<Index>(all.size()) < wanted) {
    throw Error(ErrorKind::data, fmt::format("{} groups cannot be kept whole in {} parts: give "
                                             "fewer parts or say groups: ignore",
                                             all.size(), wanted));
  }
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (ties != nullptr) {
    ties->shuffle(order);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return all[a].rows.size() > all[b].rows.size();
  });
  Dense<double> held =
      Dense<double>::Zero(static_cast<Index>(shares.size()), static_cast<Index>(by_class.size()));
  std::vector<std::size_t> part_of_group(all.size());
  for (const std::size_t g : order) {
    std::size_t best = shares.size();
    double best_cost = 0;
    for (std::size_t part = 0; part < shares.size(); ++part) {
      if (shares[part] <= 0) {
        continue;
      }
      // (c + g - aim)^2 - (c - aim)^2 = g^2 + 2 g (c - aim), and g^2 is the same for all parts.
      double cost = 0;
      for (const auto& [k, count] : all[g].counts) {
        const double aim = shares[part] * static_cast<double>(by_class[k].size());
        cost += count * (held(static_cast<Index>(part), static_cast<Index>(k)) - aim);
      }
      if (best == shares.size() || cost < best_cost - kRounding) {
        best = part;
        best_cost = cost;
      }
    }
    part_of_group[g] = best;
    for (const auto& [k, count] : all[g].counts) {
      held(static_cast<Index>(best), static_cast<Index>(k)) += count;
    }
  }
  fill_empty_parts(order, shares, part_of_group);
  std::vector<Index> part(classes.size());
  for (std::size_t g = 0; g < all.size(); ++g) {
    for (const Index row : all[g].rows) {
      part[at(row)] = static_cast<Index>(part_of_group[g]);
    }
  }
  return part;
}

std::vector<bool> stratified_draw(Rows classes, double share, Rng& rng) {
  if (share <= 0 || share >= 1) {
    return std::vector<bool>(classes.size(), share >= 1);
  }
  auto by_class = positions_by_value(classes);
  std::erase_if(by_class, [](const std::vector<Index>& rows) { return rows.size() < 2; });
  std::vector<Index> quota;
  std::vector<long long> remainder;  // in billionths, so that equal ones compare equal
  double total = 0;
  for (const std::vector<Index>& rows : by_class) {
    const double exact = share * static_cast<double>(rows.size());
    quota.push_back(static_cast<Index>(std::floor(exact + kRounding)));
    remainder.push_back(std::llround((exact - static_cast<double>(quota.back())) * 1e9));
    total += exact;
  }
  std::vector<std::size_t> order(by_class.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  const Index left = static_cast<Index>(std::floor(total + 0.5 + kRounding)) -
                     std::accumulate(quota.begin(), quota.end(), Index{0});
  for (Index i = 0; i < left; ++i) {
    ++quota[order[at(i)]];
  }
  std::vector<bool> drawn(classes.size(), false);
  for (std::size_t k = 0; k < by_class.size(); ++k) {
    const Index count = std::clamp<Index>(quota[k], 1, static_cast<Index>(by_class[k].size()) - 1);
    rng.shuffle(by_class[k]);
    for (Index i = 0; i < count; ++i) {
      drawn[at(by_class[k][at(i)])] = true;
    }
  }
  return drawn;
}

}  // namespace tyto
