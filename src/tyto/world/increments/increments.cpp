// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/increments.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/world/increments/dissimilarity.hpp"
#include "tyto/world/increments/label_changes.hpp"
#include "tyto/world/increments/spread.hpp"
#include "tyto/world/increments/start.hpp"

namespace tyto {

namespace {

constexpr Index kUnlabelled = -1;

struct DatasetRows {
  SplitRows rows;     // all in train while the split is open
  bool open = false;  // to be drawn increment by increment
};

class Builder {
 public:
  Builder(const Series& series, const IncrementOptions& options, const Rng& rng)
      : series_(series), table_(series.joined.table), options_(options), rng_(rng) {
    names_.assign(table_.label.begin(), table_.label.end());
    std::sort(names_.begin(), names_.end());
    names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    std::erase(names_, "");
    for (const std::string& label : table_.label) {
      class_of_.push_back(label.empty() ? kUnlabelled : code(label));
    }
  }

  Schedule build() {
    options_.split.check(options_.path + ".split");
    check_series_options();
    for (Index d = 0; d < series_.datasets(); ++d) {
      const DatasetRows data = rows_of(d);
      if (d > 0) {
        add_spread(d, data.rows, data.open);
      } else if (series_.datasets() > 1 || options_.increments == 0) {
        add_start({sorted(classes_in(taught(data.rows[0], data.rows[1]))), data.rows}, data.open);
      } else {
        start_and_spread(data);
      }
    }
    mark_novel();
    check();
    return std::move(schedule_);
  }

 private:
  [[nodiscard]] Index code(std::string_view name) const {
    return std::lower_bound(names_.begin(), names_.end(), name) - names_.begin();
  }

  [[nodiscard]] std::vector<Index> classes_of(Rows rows) const {
    std::vector<Index> classes;
    for (const Index row : rows) {
      classes.push_back(class_of_[at(row)]);
    }
    return classes;
  }

  [[nodiscard]] std::set<Index> classes_in(Rows rows) const {
    const std::vector<Index> classes = classes_of(rows);
    return {classes.begin(), classes.end()};
  }

  static std::vector<Index> sorted(const std::set<Index>& classes) {
    return {classes.begin(), classes.end()};
  }

  // Data shown whole, at once, may be scores of a model trained elsewhere: nothing is left to
  // train.
  [[nodiscard]] Rows taught(Rows train, Rows validate) const {
    return train.empty() && options_.increments == 0 ? validate : train;
  }

  void check_series_options() const {
    if (series_.datasets() == 1) {
      return;
    }
    if (!options_.start.classes.is_null()) {
      throw Error(ErrorKind::config,
                  fmt::format("{}.start.classes: of {} datasets the first is the start; start "
                              "classes can be chosen within one dataset only",
                              options_.path, series_.datasets()));
    }
    if (options_.increments == 0) {
      throw Error(ErrorKind::config,
                  fmt::format("{}.increments: 0 leaves no increment for dataset \"{}\"",
                              options_.path, series_.names[1]));
    }
  }

  // Labelled rows not taken by an earlier dataset, by split.
  DatasetRows rows_of(Index d) {
    const Index begin = series_.first_row_of[at(d)];
    const Index end = series_.first_row_of[at(d + 1)];
    const std::vector<Side> own = own_sides(series_.joined, begin, end);
    std::vector<Index> usable;
    for (Index row = begin; row < end; ++row) {
      if (class_of_[at(row)] == kUnlabelled) {
        ++schedule_.unlabelled;
      } else if (!own.empty() && own[at(row - begin)] == Side::none) {
        ++schedule_.in_no_split;
      } else if (is_taken(d, row)) {
        ++schedule_.repeated;
      } else {
        usable.push_back(row);
      }
    }
    if (series_.datasets() > 1) {
      for (const Index row : usable) {
        taken_.try_emplace(table_.id[at(row)], d);
      }
    }
    groups_ = options_.groups == "keep" ? group_codes(table_, begin, end) : std::vector<Index>{};
    groups_begin_ = begin;
    DatasetRows data;
    if (own.empty() && groups_.empty()) {
      data.open = true;
      data.rows[0] = std::move(usable);
      return data;
    }
    const std::vector<Side> sides =
        own.empty() ? draw_sides(classes_of(usable), groups_of(usable), options_.split,
                                 rng_.fork("split", static_cast<std::uint64_t>(d)))
                    : std::vector<Side>{};
    for (std::size_t i = 0; i < usable.size(); ++i) {
      const Side side = own.empty() ? sides[i] : own[at(usable[i] - begin)];
      data.rows[static_cast<std::size_t>(side)].push_back(usable[i]);
    }
    check_groups(d, data.rows);
    return data;
  }

  [[nodiscard]] bool is_taken(Index d, Index row) const {
    const auto found = taken_.find(table_.id[at(row)]);
    if (found == taken_.end() || options_.repeats == "keep") {
      return false;
    }
    if (options_.repeats == "refuse") {
      throw Error(
          ErrorKind::data,
          fmt::format("sample \"{}\" is in \"{}\" and again in \"{}\"; say {}.repeats: drop "
                      "(first come, first assigned) or keep",
                      found->first, series_.names[at(found->second)], series_.names[at(d)],
                      options_.path));
    }
    return true;
  }

  [[nodiscard]] std::vector<Index> groups_of(Rows rows) const {
    std::vector<Index> groups;
    for (const Index row : rows) {
      if (!groups_.empty()) {
        groups.push_back(groups_[at(row - groups_begin_)]);
      }
    }
    return groups;
  }

  void check_groups(Index d, const SplitRows& rows) const {
    std::map<Index, std::size_t> side_of;
    for (std::size_t side = 0; side < rows.size(); ++side) {
      for (const Index row : groups_.empty() ? std::vector<Index>{} : rows[side]) {
        const auto [entry, is_new] = side_of.try_emplace(groups_[at(row - groups_begin_)], side);
        if (entry->second != side) {
          throw Error(
              ErrorKind::data,
              fmt::format("group \"{}\" of \"{}\" is in both {} and {} (sample \"{}\"); "
                          "correct the column split or say {}.groups: ignore",
                          table_.group[at(row)], series_.names[at(d)], kSideNames[entry->second],
                          kSideNames[side], table_.id[at(row)], options_.path));
        }
      }
    }
  }

  void start_and_spread(const DatasetRows& data) {
    Drafted start;
    std::map<Index, Index> counts;
    for (const Index c : classes_of(data.rows[0])) {
      ++counts[c];
    }
    start.introduced =
        choose_start(options_.start, options_.path, names_, counts, rng_.fork("start"));
    const std::set<Index> chosen(start.introduced.begin(), start.introduced.end());
    SplitRows rest;
    for (std::size_t side = 0; side < data.rows.size(); ++side) {
      std::vector<Index> candidates;
      for (const Index row : data.rows[side]) {
        (chosen.contains(class_of_[at(row)]) ? candidates : rest[side]).push_back(row);
      }
      const std::vector<bool> later =
          draw_later(classes_of(candidates), groups_of(candidates), options_.start.share, side == 0,
                     rng_.fork("share", side));
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        (later[i] ? rest[side] : start.rows[side]).push_back(candidates[i]);
      }
      std::sort(rest[side].begin(), rest[side].end());
    }
    add_start(start, data.open);
    add_spread(0, rest, data.open);
  }

  void add_start(const Drafted& draft, bool open) {
    add(0, draft, open);
    Increment& start = schedule_.increments.front();
    // A drawn split may leave a class out of train.
    const std::set<Index> trained =
        classes_in(taught(start.split(Side::train).row, start.split(Side::validate).row));
    std::erase_if(start.introduced,
                  [&](const std::string& name) { return !trained.contains(code(name)); });
    known_ = trained;
  }

  void add_spread(Index d, const SplitRows& rows, bool open) {
    SpreadRules rules;
    rules.increments = options_.increments_for(d);
    rules.table = options_.schedule == "table";
    rules.seeded = options_.folds == "seeded";
    rules.introduce = options_.introduce;
    rules.count_all = options_.train_optional && rows[0].empty();
    const Rng rng = rng_.fork("spread", static_cast<std::uint64_t>(d));
    for (const Drafted& draft : spread(rows, class_of_, known_, rules, rng)) {
      add(d, draft, open);
      known_.insert(draft.introduced.begin(), draft.introduced.end());
    }
  }

  void add(Index d, const Drafted& draft, bool open) {
    const auto number = static_cast<std::uint64_t>(schedule_.increments.size());
    Increment& increment = schedule_.increments.emplace_back();
    increment.dataset = series_.names[at(d)];
    for (const Index c : draft.introduced) {
      increment.introduced.push_back(names_[at(c)]);
    }
    if (open) {
      const std::vector<Index>& rows = draft.rows[0];
      const std::vector<Side> sides =
          draw_sides(classes_of(rows), {}, options_.split, rng_.fork("split_increment", number));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        increment.splits[static_cast<std::size_t>(sides[i])].row.push_back(rows[i]);
      }
    }
    for (std::size_t side = 0; side < increment.splits.size(); ++side) {
      std::vector<Index>& rows = increment.splits[side].row;
      if (!open) {
        rows = draft.rows[side];
      }
      if (options_.order == "shuffled") {
        rng_.fork("order", 3 * number + side).shuffle(rows);
      }
    }
  }

  void mark_novel() {
    std::map<Index, Index> since;
    for (const std::string& name : schedule_.increments.front().introduced) {
      since[code(name)] = -1;
    }
    std::map<Index, Index> taught = since;
    for (Index t = 0; t < schedule_.size(); ++t) {
      for (const Index c : classes_in(schedule_.increments[at(t)].split(Side::train).row)) {
        taught.try_emplace(c, t);
      }
      for (ScheduledSplit& split : schedule_.increments[at(t)].splits) {
        for (const Index row : split.row) {
          const Index first = since.try_emplace(class_of_[at(row)], t).first->second;
          const auto found = taught.find(class_of_[at(row)]);
          const bool was_taught = found != taught.end() && found->second < t;
          split.novel.push_back(options_.novel == "taught" ? !was_taught : first == t);
        }
      }
    }
    for (const auto& [c, first] : since) {
      schedule_.first_shown.emplace_back(names_[at(c)], first);
    }
    std::stable_sort(schedule_.first_shown.begin(), schedule_.first_shown.end(),
                     [](const auto& a, const auto& b) { return a.second < b.second; });
  }

  void check() const {
    const Increment& start = schedule_.increments.front();
    if (start.introduced.size() < 2) {
      throw Error(ErrorKind::data,
                  fmt::format("increment 0 (\"{}\") has {} classes to train on; the start needs 2 "
                              "or more",
                              start.dataset, start.introduced.size()));
    }
    Index tests = 0;
    for (Index t = 0; t < schedule_.size(); ++t) {
      const Increment& increment = schedule_.increments[at(t)];
      tests += increment.split(Side::test).size();
      const bool is_optional = options_.train_optional && t > 0;
      if (taught(increment.split(Side::train).row, increment.split(Side::validate).row).empty() &&
          !is_optional) {
        throw Error(ErrorKind::data,
                    fmt::format("increment {} (\"{}\") has no row to train on: its dataset is "
                                "spread over {} increments; {}.increments must be lower",
                                t, increment.dataset, options_.increments, options_.path));
      }
    }
    if (tests == 0) {
      throw Error(ErrorKind::data,
                  fmt::format("none of the {} increments has a row to test on; give the datasets "
                              "test rows in the column split, or {}.split.test above 0",
                              schedule_.size(), options_.path));
    }
  }

  const Series& series_;
  const IndexTable& table_;
  const IncrementOptions& options_;
  const Rng& rng_;
  std::vector<std::string> names_;  // of the classes, sorted
  std::vector<Index> class_of_;     // by table row
  std::map<std::string_view, Index> taken_;
  std::vector<Index> groups_;  // of the dataset at hand, from row groups_begin_
  Index groups_begin_ = 0;
  std::set<Index> known_;
  Schedule schedule_;
};

}  // namespace

void IncrementOptions::describe(OptionVisitor& visitor) {
  static constexpr std::string_view kChoose[] = {"random", "frequent", "alphabetical"};
  static constexpr std::string_view kSchedule[] = {"text", "table"};
  static constexpr std::string_view kIntroduce[] = {"frequency", "random", "alphabetical"};
  static constexpr std::string_view kOrder[] = {"shuffled", "blocks"};
  static constexpr std::string_view kFolds[] = {"seeded", "in_order"};
  static constexpr std::string_view kGroups[] = {"keep", "ignore"};
  static constexpr std::string_view kRepeats[] = {"refuse", "drop", "keep"};
  visitor.section(
      "start",
      [this](OptionVisitor& inner) {
        inner.field("classes", start.classes,
                    "of one dataset: how many classes the start has, or which; none: half");
        inner.field("choose", start.choose, kChoose, "which classes, where a number is given");
        inner.field("share", start.share, {0.001, 1}, "share of their rows shown at the start");
      },
      "increment 0");
  visitor.field("increments", increments, {0, 10000},
                "increments per dataset after the start; 0: one dataset, whole, at once");
  visitor.field("schedule", schedule, kSchedule,
                "text: frequent classes first, floor; table: rare classes first, ceil");
  visitor.field("introduce", introduce, kIntroduce, "order in which novel classes come");
  visitor.field("order", order, kOrder,
                "of rows in an increment; blocks: known, novel, then earlier novel classes");
  visitor.field("folds", folds, kFolds, "which rows of a class come first: drawn, or table order");
  visitor.section(
      "split", [this](OptionVisitor& inner) { split.describe(inner); },
      "for datasets without a column split");
  visitor.field("groups", groups, kGroups, "keep: a group is never in two splits");
  visitor.field("repeats", repeats, kRepeats,
                "of a sample in several datasets; drop: first come, first assigned");
  nuisance.describe(visitor);
  describe_label_changes(visitor, label_changes);
  visitor.field("dissimilarity", dissimilarity, kDissimilarityKinds,
                "annotate each sample with the distance of its features to the nearest that were "
                "shown at an earlier step, for observation_dissimilarity; takes time with the "
                "square of the samples");
}

std::vector<std::string> Schedule::shown_before(Index increment) const {
  std::vector<std::string> names;
  for (const auto& [name, first] : first_shown) {
    if (first < increment) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<Index> classes_per_increment(Index classes, Index increments,
                                         std::string_view schedule) {
  const bool ceil = schedule == "table";
  const Index each = ceil ? (classes + increments - 1) / increments : classes / increments;
  std::vector<Index> sizes;
  Index left = classes;
  for (Index j = 0; j < increments; ++j) {
    sizes.push_back(!ceil && j + 1 == increments ? left : std::min(each, left));
    left -= sizes.back();
  }
  return sizes;
}

Schedule build_schedule(const Series& series, const IncrementOptions& options, const Rng& rng) {
  return Builder(series, options, rng).build();
}

}  // namespace tyto
