// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/test_material.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/world/increments/splits.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 3> kThirds{"easy", "medium", "hard"};  // farthest first

// Where the i-th third of n classes begins.
Index third_begin(Index n, Index i) {
  return n * i / 3;
}

// Readers of the public layout strip blanks and quotes around a field and read line by line.
void expect_plain_names(const Dataset& dataset, const ClassMap& map) {
  constexpr std::string_view kStripped = " \t\"'";
  for (const std::string& name : map.names) {
    if (kStripped.find(name.front()) != kStripped.npos ||
        kStripped.find(name.back()) != kStripped.npos ||
        name.find_first_of(std::string_view("\r\n\0", 3)) != name.npos) {
      throw Error(ErrorKind::data,
                  fmt::format("the class \"{}\" of \"{}\" begins or ends with a blank or quote, or "
                              "has a line end inside, which files of tests cannot tell; rename it",
                              name, dataset.name));
    }
  }
}

// The column `split`, or drawn; rows without a label are on no side.
class SideDrawer {
 public:
  SideDrawer(const Dataset& dataset, const ClassMap& map, const MakeTestsOptions& options)
      : dataset_(dataset), map_(map), options_(options) {
    if (options.groups == "keep") {
      groups_ = group_codes(dataset.table, 0, dataset.table.size());
    }
  }

  [[nodiscard]] std::vector<Side> draw(const Rng& rng) const {
    std::vector<Side> sides = own_sides(dataset_, 0, dataset_.table.size());
    if (sides.empty()) {
      sides = drawn(rng);
    }
    for (std::size_t i = 0; i < sides.size(); ++i) {
      sides[i] = map_.of_row[i] < 0 ? Side::none : sides[i];
    }
    expect_whole_groups(sides);
    return sides;
  }

 private:
  [[nodiscard]] std::vector<Side> drawn(const Rng& rng) const {
    std::vector<Index> rows;
    std::vector<Index> classes;
    std::vector<Index> groups;
    for (Index i = 0; i < dataset_.table.size(); ++i) {
      if (map_.of_row[at(i)] >= 0) {
        rows.push_back(i);
        classes.push_back(map_.of_row[at(i)]);
        if (!groups_.empty()) {
          groups.push_back(groups_[at(i)]);
        }
      }
    }
    SplitOptions split;
    split.test = options_.test_share;
    const std::vector<Side> of_rows = draw_sides(classes, groups, split, rng);
    std::vector<Side> sides(at(dataset_.table.size()), Side::none);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      sides[at(rows[i])] = of_rows[i];
    }
    return sides;
  }

  void expect_whole_groups(const std::vector<Side>& sides) const {
    std::map<Index, bool> trains;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (sides[i] == Side::none) {
        continue;
      }
      const bool is_train = sides[i] == Side::train;
      if (trains.try_emplace(groups_[i], is_train).first->second != is_train) {
        throw Error(ErrorKind::data,
                    fmt::format("group \"{}\" of \"{}\" is in train and in a split that tests; "
                                "correct the column split or say groups: ignore",
                                dataset_.table.group[i], dataset_.name));
      }
    }
  }

  const Dataset& dataset_;
  const ClassMap& map_;
  const MakeTestsOptions& options_;
  std::vector<Index> groups_;
};

std::vector<Index> choose_known(const Dataset& dataset, std::vector<Index> candidates, Index wish,
                                Rng rng) {
  const auto count = static_cast<Index>(candidates.size());
  if (count < 2) {
    throw Error(ErrorKind::data,
                fmt::format("\"{}\" has {} class{} with samples to learn from and samples to test "
                            "on; tests need 2 known classes or more",
                            dataset.name, count, count == 1 ? "" : "es"));
  }
  const Index known = wish == 0 ? std::max<Index>(2, (count + 1) / 2) : wish;
  if (known < 2 || known > count) {
    throw Error(ErrorKind::config,
                fmt::format("known: {} of the {} classes of \"{}\" that have samples to learn from "
                            "and samples to test on; it must be 2 or more, and no more than there "
                            "are",
                            known, count, dataset.name));
  }
  rng.shuffle(candidates);
  candidates.resize(at(known));
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

std::vector<Index> farthest_first(const ClassMap& map, const std::vector<Index>& known,
                                  const std::vector<Index>& unknown) {
  std::vector<std::pair<double, Index>> order;
  for (const Index c : unknown) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Index k : known) {
      nearest = std::min(nearest, map.distance(c, k));
    }
    order.emplace_back(-nearest, c);
  }
  std::sort(order.begin(), order.end());
  std::vector<Index> sorted;
  for (const auto& [distance, c] : order) {
    sorted.push_back(c);
  }
  return sorted;
}

}  // namespace

Index TestMaterial::number_of(Index c) const {
  const auto found = std::lower_bound(known.begin(), known.end(), c);
  return found != known.end() && *found == c ? found - known.begin()
                                             : static_cast<Index>(known.size());
}

std::vector<Index> TestMaterial::as_hard_as(std::string_view difficulty) const {
  const auto n = static_cast<Index>(unknown.size());
  if (difficulty == "mixed" || n < 3) {
    return unknown;
  }
  const Index i = std::find(kThirds.begin(), kThirds.end(), difficulty) - kThirds.begin();
  return {unknown.begin() + third_begin(n, i), unknown.begin() + third_begin(n, i + 1)};
}

std::string TestMaterial::difficulty_of(Index unknown_class) const {
  const auto n = static_cast<Index>(unknown.size());
  const Index rank = std::find(unknown.begin(), unknown.end(), unknown_class) - unknown.begin();
  if (n < 3) {
    return "mixed";
  }
  const Index third = rank < third_begin(n, 1) ? 0 : rank < third_begin(n, 2) ? 1 : 2;
  return std::string(kThirds[at(third)]);
}

TestMaterial gather_material(const Dataset& dataset, const MakeTestsOptions& options,
                             const Rng& rng) {
  TestMaterial material;
  material.map = map_classes(dataset);
  const ClassMap& map = material.map;
  expect_plain_names(dataset, map);
  const std::vector<Side> sides = SideDrawer(dataset, map, options).draw(rng.fork("sides"));
  material.shown.resize(at(map.classes()));
  std::vector<Index> to_learn(at(map.classes()));
  for (Index i = 0; i < dataset.table.size(); ++i) {
    if (sides[at(i)] == Side::train) {
      ++to_learn[at(map.of_row[at(i)])];
    } else if (sides[at(i)] != Side::none) {
      material.shown[at(map.of_row[at(i)])].push_back(i);
    }
  }
  std::vector<Index> candidates;
  for (Index c = 0; c < map.classes(); ++c) {
    if (to_learn[at(c)] > 0 && !material.shown[at(c)].empty()) {
      candidates.push_back(c);
    }
  }
  material.known = choose_known(dataset, candidates, options.known, rng.fork("known"));
  std::vector<Index> others;
  for (Index c = 0; c < map.classes(); ++c) {
    if (material.number_of(c) == static_cast<Index>(material.known.size()) &&
        !material.shown[at(c)].empty()) {
      others.push_back(c);
    }
  }
  material.unknown = farthest_first(map, material.known, others);
  for (Index i = 0; i < dataset.table.size(); ++i) {
    if (sides[at(i)] == Side::train &&
        material.number_of(map.of_row[at(i)]) < static_cast<Index>(material.known.size())) {
      material.train.push_back(i);
    }
  }
  return material;
}

}  // namespace tyto
