// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/splits.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/world/increments/folds.hpp"

namespace tyto {

namespace {

std::vector<Index> pick(Rows values, Rows which) {
  std::vector<Index> picked;
  for (const Index i : which) {
    picked.push_back(values.empty() ? 0 : values[at(i)]);
  }
  return picked;
}

std::vector<bool> draw_share(Rows classes, Rows groups, double share, Rng rng) {
  if (share <= 0 || groups.empty()) {
    return stratified_draw(classes, share, rng);
  }
  const std::array<double, 2> shares{1 - share, share};
  const std::vector<Index> part = group_folds(classes, groups, shares, &rng);
  std::vector<bool> drawn;
  drawn.reserve(part.size());
  for (const Index p : part) {
    drawn.push_back(p == 1);
  }
  return drawn;
}

std::vector<bool> draw_test(Rows classes, Rows groups, const SplitOptions& options, Rng rng) {
  if (options.by == "ratio") {
    return draw_share(classes, groups, options.test, rng);
  }
  const std::vector<double> shares(at(options.folds), 1.0 / static_cast<double>(options.folds));
  const std::vector<Index> fold = groups.empty() ? stratified_folds(classes, options.folds, &rng)
                                                 : group_folds(classes, groups, shares, &rng);
  std::vector<bool> drawn;
  drawn.reserve(fold.size());
  for (const Index f : fold) {
    drawn.push_back(f == options.fold);
  }
  return drawn;
}

double test_share(const SplitOptions& options) {
  return options.by == "ratio" ? options.test : 1.0 / static_cast<double>(options.folds);
}

}  // namespace

void SplitOptions::describe(OptionVisitor& visitor) {
  static constexpr std::string_view kBy[] = {"ratio", "folds"};
  visitor.field("by", by, kBy, "share of the rows, or one fold of several, for the test");
  visitor.field("test", test, {0, 0.99}, "share of the rows that test (by ratio)");
  visitor.field("validate", validate, {0, 0.99}, "share of the rows that validate");
  visitor.field("folds", folds, {2, 1000}, "number of folds (by folds)");
  visitor.field("fold", fold, {0, 999}, "the fold that tests, from 0 (by folds)");
}

void SplitOptions::check(std::string_view path) const {
  if (by == "folds" && fold >= folds) {
    throw Error(ErrorKind::config,
                fmt::format("{}.fold: {} is not below the number of folds, {}", path, fold, folds));
  }
  if (test_share(*this) + validate >= 1) {
    throw Error(ErrorKind::config,
                fmt::format("{}.validate: {} for validation and {} for the test leave no row to "
                            "train on",
                            path, validate, test_share(*this)));
  }
}

std::vector<Side> draw_sides(Rows classes, Rows groups, const SplitOptions& options,
                             const Rng& rng) {
  const std::vector<bool> tests = draw_test(classes, groups, options, rng.fork("test"));
  std::vector<Side> side(classes.size(), Side::train);
  std::vector<Index> rest;
  for (std::size_t i = 0; i < side.size(); ++i) {
    if (tests[i]) {
      side[i] = Side::test;
    } else {
      rest.push_back(static_cast<Index>(i));
    }
  }
  const std::vector<Index> rest_classes = pick(classes, rest);
  const std::vector<Index> rest_groups = groups.empty() ? std::vector<Index>{} : pick(groups, rest);
  const double share = options.validate / (1 - test_share(options));
  const std::vector<bool> validates =
      draw_share(rest_classes, rest_groups, share, rng.fork("validate"));
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (validates[i]) {
      side[at(rest[i])] = Side::validate;
    }
  }
  return side;
}

std::vector<Side> own_sides(const Dataset& dataset, Index begin, Index end) {
  const IndexTable& table = dataset.table;
  std::vector<Side> sides;
  bool any = false;
  if (table.split.empty()) {
    return {};
  }
  for (Index i = begin; i < end; ++i) {
    const std::string& word = table.split[at(i)];
    const auto found = std::find(kSideNames.begin(), kSideNames.end(), word);
    if (found == kSideNames.end() && !word.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("row {} (\"{}\") of \"{}\" has split \"{}\", which is none of train, "
                              "validate, test",
                              i - begin + 1, table.id[at(i)], dataset.name, word));
    }
    sides.push_back(static_cast<Side>(found - kSideNames.begin()));
    any = any || sides.back() != Side::none;
  }
  return any ? sides : std::vector<Side>{};
}

std::vector<Index> group_codes(const IndexTable& table, Index begin, Index end) {
  std::map<std::string_view, Index> code;
  std::vector<Index> codes;
  Index next = 0;
  if (table.group.empty()) {
    return {};
  }
  for (Index i = begin; i < end; ++i) {
    const std::string& name = table.group[at(i)];
    if (name.empty()) {
      codes.push_back(next++);
      continue;
    }
    const auto [entry, is_new] = code.try_emplace(name, next);
    next += is_new ? 1 : 0;
    codes.push_back(entry->second);
  }
  return code.empty() ? std::vector<Index>{} : codes;
}

std::vector<std::uint32_t> opaque_numbers(Index count, Rng rng) {
  std::vector<std::uint32_t> numbers;
  for (const Index i : rng.permutation(count)) {
    numbers.push_back(static_cast<std::uint32_t>(i));
  }
  return numbers;
}

}  // namespace tyto
