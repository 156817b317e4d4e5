// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/novel_classes/class_roles.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/world/increments/start.hpp"

namespace tyto {

namespace {

constexpr Index kNoClass = -1;
constexpr std::array<std::string_view, 3> kRoleKeys{"normal", "novel_validate", "novel_test"};

class RoleDeal {
 public:
  RoleDeal(const Dataset& data, const NovelClassOptions& options, const Rng& rng)
      : table_(data.table), options_(options), rng_(rng), own_(own_sides(data, 0, table_.size())) {
    number_classes();
  }

  NovelClassRows deal() {
    if (!roles_by_splits()) {
      draw_roles();
    }
    place_rows();
    check();
    return std::move(out_);
  }

 private:
  void number_classes() {
    std::map<std::string_view, Index> number;
    for (const std::string& label : table_.label) {
      if (!label.empty()) {
        number.emplace(label, 0);
      }
    }
    for (auto& [name, code] : number) {
      code = std::ssize(out_.names);
      out_.names.emplace_back(name);
    }
    for (const std::string& label : table_.label) {
      out_.class_of.push_back(label.empty() ? kNoClass : number.at(label));
    }
    out_.role.assign(out_.names.size(), ClassRole::unused);
  }

  [[nodiscard]] Index classes() const { return std::ssize(out_.names); }

  [[nodiscard]] const ConfigNode& wish(std::size_t role) const {
    return role == 0 ? options_.normal : role == 1 ? options_.novel_validate : options_.novel_test;
  }

  bool roles_by_splits() {
    const bool named = !options_.normal.is_null() || !options_.novel_validate.is_null() ||
                       !options_.novel_test.is_null();
    if (named || own_.empty()) {
      return false;
    }
    std::array<std::set<Index>, 3> seen;
    for (Index row = 0; row < table_.size(); ++row) {
      const Side side = own_[at(row)];
      if (side != Side::none && out_.class_of[at(row)] != kNoClass) {
        seen[static_cast<std::size_t>(side)].insert(out_.class_of[at(row)]);
      }
    }
    bool any_novel = false;
    std::vector<ClassRole> role(out_.names.size(), ClassRole::unused);
    for (Index c = 0; c < classes(); ++c) {
      if (seen[0].contains(c)) {
        role[at(c)] = ClassRole::normal;
      } else if (seen[1].contains(c)) {
        role[at(c)] = ClassRole::novel_validate;
      } else if (seen[2].contains(c)) {
        role[at(c)] = ClassRole::novel_test;
        any_novel = true;
      }
    }
    if (!any_novel) {
      return false;
    }
    out_.role = std::move(role);
    out_.by_splits = true;
    return true;
  }

  // Named classes first; then each number is filled from the others, in a drawn order.
  void draw_roles() {
    std::array<std::optional<Index>, 3> count;
    for (std::size_t role = 0; role < kRoleKeys.size(); ++role) {
      const std::string place = fmt::format("{}.{}", options_.path, kRoleKeys[role]);
      count[role] = whole_number(wish(role));
      if (count[role] || wish(role).is_null()) {
        continue;
      }
      for (const Index c : named_places(wish(role), place, out_.names, "the data have")) {
        if (out_.role[at(c)] != ClassRole::unused) {
          throw Error(ErrorKind::config,
                      fmt::format("{}: class \"{}\" already is {}", place, out_.names[at(c)],
                                  kRoleKeys[static_cast<std::size_t>(out_.role[at(c)])]));
        }
        out_.role[at(c)] = static_cast<ClassRole>(role);
      }
    }
    std::vector<Index> left;
    for (const Index c : rng_.fork("classes").permutation(classes())) {
      if (out_.role[at(c)] == ClassRole::unused) {
        left.push_back(c);
      }
    }
    const auto deal = [&](std::size_t role, Index n) {
      if (n > std::ssize(left)) {
        throw Error(ErrorKind::config,
                    fmt::format("{}.{}: {} classes are asked for, and of the {} there are {} are "
                                "left",
                                options_.path, kRoleKeys[role], n, classes(), left.size()));
      }
      for (Index i = 0; i < n; ++i) {
        out_.role[at(left.back())] = static_cast<ClassRole>(role);
        left.pop_back();
      }
    };
    for (std::size_t role = 0; role < kRoleKeys.size(); ++role) {
      if (count[role]) {
        deal(role, *count[role]);
      }
    }
    const std::array<bool, 3> open{options_.normal.is_null(), options_.novel_validate.is_null(),
                                   options_.novel_test.is_null()};
    const Index rest = std::ssize(left);
    if (open[0]) {
      deal(0, open[1] || open[2] ? (rest + 1) / 2 : rest);
    }
    if (open[1]) {
      deal(1, open[2] ? std::ssize(left) / 2 : std::ssize(left));
    }
    if (open[2]) {
      deal(2, std::ssize(left));
    }
  }

  // The data's own sides; where these have no validate, a share of train by the options.
  [[nodiscard]] std::vector<Side> sides(const std::vector<Index>& groups) const {
    std::vector<Side> side = own_;
    const bool validates = std::find(own_.begin(), own_.end(), Side::validate) != own_.end();
    if (!own_.empty() && (validates || options_.split.validate == 0)) {
      return side;
    }
    std::vector<Index> rows;
    std::vector<Index> row_classes;
    std::vector<Index> row_groups;
    for (Index row = 0; row < table_.size(); ++row) {
      const bool drawn = own_.empty() || own_[at(row)] == Side::train;
      if (drawn && out_.class_of[at(row)] != kNoClass) {
        rows.push_back(row);
        row_classes.push_back(out_.class_of[at(row)]);
        if (!groups.empty()) {
          row_groups.push_back(groups[at(row)]);
        }
      }
    }
    SplitOptions split = options_.split;
    if (!own_.empty()) {
      split.by = "ratio";
      split.test = 0;
    }
    const std::vector<Side> drawn = draw_sides(row_classes, row_groups, split, rng_.fork("split"));
    side.resize(static_cast<std::size_t>(table_.size()), Side::none);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      side[at(rows[i])] = drawn[i];
    }
    return side;
  }

  void place_rows() {
    const std::vector<Index> groups =
        options_.groups == "keep" ? group_codes(table_, 0, table_.size()) : std::vector<Index>{};
    const std::vector<Side> side = sides(groups);
    const bool bound = !own_.empty() || !groups.empty();
    std::vector<Index> train;
    for (Index row = 0; row < table_.size(); ++row) {
      const Index c = out_.class_of[at(row)];
      if (c == kNoClass) {
        ++out_.unlabelled;
        continue;
      }
      if (side[at(row)] == Side::none) {
        ++out_.in_no_split;
        continue;
      }
      const ClassRole role = out_.role[at(c)];
      if (role == ClassRole::unused) {
        continue;
      }
      if (role == ClassRole::normal) {
        out_.rows[static_cast<std::size_t>(side[at(row)])].push_back(row);
        continue;
      }
      const Side wanted = role == ClassRole::novel_validate ? Side::validate : Side::test;
      if (bound && side[at(row)] != wanted) {
        ++out_.novel_elsewhere;
        continue;
      }
      out_.rows[static_cast<std::size_t>(wanted)].push_back(row);
    }
    keep_labelled_share();
  }

  // The others are met among the test rows, without their names.
  void keep_labelled_share() {
    if (options_.labelled >= 1) {
      return;
    }
    std::vector<Index> classes;
    for (const Index row : out_.rows[0]) {
      classes.push_back(out_.class_of[at(row)]);
    }
    const std::vector<bool> moved =
        draw_later(classes, {}, options_.labelled, true, rng_.fork("labelled"));
    std::vector<Index> kept;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      (moved[i] ? out_.rows[2] : kept).push_back(out_.rows[0][i]);
    }
    out_.rows[0] = std::move(kept);
    std::sort(out_.rows[2].begin(), out_.rows[2].end());
  }

  void check() const {
    if (std::find(out_.role.begin(), out_.role.end(), ClassRole::normal) == out_.role.end()) {
      throw Error(ErrorKind::config,
                  fmt::format("{}.normal: no class is normal, so there is nothing to learn",
                              options_.path));
    }
    if (out_.rows[0].empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: no row of a normal class is in train", options_.path));
    }
    if (out_.rows[2].empty()) {
      throw Error(ErrorKind::data, fmt::format("{}: no row is in test", options_.path));
    }
  }

  const IndexTable& table_;
  const NovelClassOptions& options_;
  const Rng& rng_;
  std::vector<Side> own_;
  NovelClassRows out_;
};

}  // namespace

void NovelClassOptions::describe(OptionVisitor& visitor) {
  static constexpr std::string_view kGroups[] = {"keep", "ignore"};
  visitor.field("normal", normal,
                "classes that are learned: a number or names; none, like the next two: by the "
                "data's own splits where these have classes that train lacks, else half of them");
  visitor.field("novel_validate", novel_validate,
                "classes that are new where thresholds and options are chosen, and nowhere else");
  visitor.field("novel_test", novel_test, "classes that are new in the test, and nowhere else");
  visitor.field("labelled", labelled, {0.001, 1},
                "share of the normal train rows that is learned with names; the others join the "
                "test (category discovery)");
  visitor.field("groups", groups, kGroups,
                "keep: a group (episode, subject) is never in two splits; a row of a novel class "
                "counts only where its group belongs");
  visitor.section(
      "split", [this](OptionVisitor& inner) { split.describe(inner); },
      "for datasets without a column split; validate also where they have no such split");
}

NovelClassRows deal_roles(const Dataset& data, const NovelClassOptions& options, const Rng& rng) {
  return RoleDeal(data, options, rng).deal();
}

}  // namespace tyto
