// SPDX-License-Identifier: Apache-2.0
// A world whose schedule is written down: a table says which sample comes when, in which split and
// under which name.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/data/join.hpp"
#include "tyto/world/increments/increment_world.hpp"
#include "tyto/world/listed/manifest_list.hpp"

namespace tyto {

namespace {

struct ManifestWorldOptions {
  std::string file, lost = "refuse", order = "shuffled", groups = "keep";
  ManifestColumns columns;
  ShownNuisance nuisance;
  ConfigNode label_changes;

  void describe(OptionVisitor& visitor) {
    static constexpr std::string_view kLosses[] = {"refuse", "leave_out"};
    static constexpr std::string_view kOrders[] = {"shuffled", "listed", "time"};
    static constexpr std::string_view kGroupRules[] = {"keep", "ignore"};
    visitor.field("file", file, {},
                  "the table (.csv or .csv.gz), as `tyto split` writes it; none: the index of the "
                  "data has these columns");
    visitor.section(
        "columns", [this](OptionVisitor& inner) { columns.describe(inner); },
        "what the table calls its columns; all others become annotations");
    visitor.field("lost", lost, kLosses, "samples of the table that the data have not");
    visitor.field("order", order, kOrders,
                  "of samples in an increment; listed: as in the table, whose order may tell "
                  "classes");
    visitor.field("groups", groups, kGroupRules, "keep: a group is never both in train and test");
    nuisance.describe(visitor);
    describe_label_changes(visitor, label_changes);
  }
};

ManifestWorldOptions read_manifest_options(const ConfigNode& node, std::string_view path) {
  auto options = read_options<ManifestWorldOptions>(node, path);
  check_label_changes(options.label_changes, fmt::format("{}.label_changes", path));
  return options;
}

// Rows of the data by what the table says of them.
class ListedSchedule {
 public:
  ListedSchedule(const ManifestList& list, Series& series, const ManifestWorldOptions& options)
      : list_(list), series_(series), table_(series.joined.table), options_(options) {}

  Schedule build(const Rng& rng) {
    join();
    take_columns();
    check_groups();
    deal(rng);
    mark_novel();
    check();
    return std::move(schedule_);
  }

  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  // What lies in the data and is not listed is not shown.
  void join() {
    const std::string what = fmt::format("\"{}\"", series_.joined.name);
    const IdJoin join = join_by_id(list_.id, table_.id, what, Lost::leave_out);
    const Index lost = list_.size() - std::ssize(join.sample);
    if (lost > 0 && options_.lost == "refuse") {
      throw Error(ErrorKind::data, fmt::format("{}: {}; `lost: leave_out` goes on without them",
                                               list_.name, join.note));
    }
    if (!join.note.empty()) {
      notes_.push_back(fmt::format("{}: {}", list_.name, join.note));
    }
    if (list_.not_shown > 0) {
      notes_.push_back(fmt::format("{}: {} rows without an increment or a split are not shown",
                                   list_.name, list_.not_shown));
    }
    if (list_.from_one) {
      notes_.push_back(
          fmt::format("{} counts increments from 1; here they count from 0", list_.name));
    }
    listed_ = join.sample;
    row_ = join.feature;
    item_of_.assign(static_cast<std::size_t>(table_.size()), 0);
    for (std::size_t i = 0; i < row_.size(); ++i) {
      item_of_[at(row_[i])] = listed_[i];
    }
  }

  template <class T>
  void fill(const std::vector<T>& from, std::vector<T>& to) {
    if (from.empty()) {
      return;
    }
    to.resize(static_cast<std::size_t>(table_.size()));
    for (std::size_t i = 0; i < row_.size(); ++i) {
      to[at(row_[i])] = from[at(listed_[i])];
    }
  }

  void take_columns() {
    Index renamed = 0;
    if (!list_.label.empty() && !table_.label.empty()) {
      for (std::size_t i = 0; i < row_.size(); ++i) {
        const std::string& own = table_.label[at(row_[i])];
        renamed += !own.empty() && own != list_.label[at(listed_[i])] ? 1 : 0;
      }
    }
    if (renamed > 0) {
      notes_.push_back(fmt::format("{} samples have another label in \"{}\"; that of {} counts",
                                   renamed, series_.joined.name, list_.name));
    }
    if (list_.label.empty() && table_.label.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("neither {} nor \"{}\" has labels", list_.name, series_.joined.name));
    }
    fill(list_.label, table_.label);
    fill(list_.group, table_.group);
    fill(list_.time, table_.time);
    for (const auto& [name, values] : list_.annotations) {
      fill(values, table_.annotations[name]);
    }
  }

  void check_groups() const {
    if (options_.groups == "ignore" || table_.group.empty()) {
      return;
    }
    std::map<std::string_view, std::size_t> trains;
    const auto each = [&](Side side, const auto& visit) {
      for (std::size_t i = 0; i < row_.size(); ++i) {
        if (list_.side[at(listed_[i])] == side && !table_.group[at(row_[i])].empty()) {
          visit(i, table_.group[at(row_[i])]);
        }
      }
    };
    each(Side::train, [&](std::size_t i, std::string_view group) { trains.try_emplace(group, i); });
    each(Side::test, [&](std::size_t i, std::string_view group) {
      if (const auto found = trains.find(group); found != trains.end()) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: group \"{}\" trains (sample \"{}\", {}) and tests (sample "
                                "\"{}\", {}); correct the table or say groups: ignore",
                                list_.name, group, table_.id[at(row_[found->second])],
                                list_.place[at(listed_[found->second])], table_.id[at(row_[i])],
                                list_.place[at(listed_[i])]));
      }
    });
  }

  void deal(const Rng& rng) {
    schedule_.increments.resize(
        at(*std::max_element(list_.increment.begin(), list_.increment.end())) + 1);
    for (std::size_t i = 0; i < row_.size(); ++i) {
      const std::size_t item = at(listed_[i]);
      if (table_.label[at(row_[i])].empty()) {
        ++schedule_.unlabelled;
        continue;
      }
      Increment& increment = schedule_.increments[at(list_.increment[item])];
      increment.splits[static_cast<std::size_t>(list_.side[item])].row.push_back(row_[i]);
    }
    if (options_.order == "time" && table_.time.empty()) {
      throw Error(ErrorKind::data, fmt::format("{}: `order: time` needs a column time, and there "
                                               "is none",
                                               list_.name));
    }
    for (std::size_t t = 0; t < schedule_.increments.size(); ++t) {
      schedule_.increments[t].dataset = origin_of(schedule_.increments[t]);
      for (std::size_t side = 0; side < kSideNames.size(); ++side) {
        std::vector<Index>& rows = schedule_.increments[t].splits[side].row;
        if (options_.order == "shuffled") {
          rng.fork("order", 3 * t + side).shuffle(rows);
        } else if (options_.order == "time") {
          std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) {
            return table_.time[at(a)] < table_.time[at(b)];
          });
        }
      }
    }
  }

  // The release that an increment comes from, where the table tells (`dataset`).
  [[nodiscard]] std::string origin_of(const Increment& increment) const {
    const auto told = table_.annotations.find("dataset");
    for (const ScheduledSplit& split : increment.splits) {
      if (told != table_.annotations.end() && !split.row.empty()) {
        return told->second[at(split.row.front())];
      }
    }
    return series_.joined.name;
  }

  // A class is novel until an increment has taught it; those of increment 0 never are. What was
  // shown before in test alone may be called either: the table decides.
  void mark_novel() {
    std::map<std::string, Index> shown;
    std::map<std::string, Index> taught;
    for (Index t = 0; t < schedule_.size(); ++t) {
      Increment& increment = schedule_.increments[at(t)];
      std::set<std::string> fresh;
      for (const Index row : increment.split(Side::train).row) {
        if (const std::string& name = table_.label[at(row)]; taught.try_emplace(name, t).second) {
          fresh.insert(name);
        }
      }
      increment.introduced.assign(fresh.begin(), fresh.end());
      for (const std::string& name : t == 0 ? increment.introduced : std::vector<std::string>{}) {
        shown[name] = taught[name] = -1;
      }
      for (ScheduledSplit& split : increment.splits) {
        for (const Index row : split.row) {
          const std::string& name = table_.label[at(row)];
          const Index first = shown.try_emplace(name, t).first->second;
          const auto known = taught.find(name);
          const bool was_taught = known != taught.end() && known->second < t;
          split.novel.push_back(is_novel(row, t, first, was_taught));
        }
      }
    }
    schedule_.first_shown.assign(shown.begin(), shown.end());
    std::stable_sort(schedule_.first_shown.begin(), schedule_.first_shown.end(),
                     [](const auto& a, const auto& b) { return a.second < b.second; });
  }

  [[nodiscard]] bool is_novel(Index row, Index now, Index first, bool was_taught) const {
    const std::size_t item = at(item_of_[at(row)]);
    const Claim claim = list_.claim.empty() ? Claim::none : list_.claim[item];
    const bool may_be_known = first < now;
    if (claim == Claim::none) {
      return !may_be_known;
    }
    if (claim == Claim::novel ? was_taught : !may_be_known) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: {}: sample \"{}\" of \"{}\" is called {} at increment {}, but this "
                      "class {}; correct the table or leave the column out",
                      list_.name, list_.place[item], list_.id[item], table_.label[at(row)],
                      claim == Claim::novel ? "novel" : "known", now,
                      claim == Claim::known ? "was not shown before"
                      : first < 0           ? "is taught at the start"
                                            : "was taught before"));
    }
    return claim == Claim::novel;
  }

  void check() const {
    const Increment& start = schedule_.increments.front();
    if (start.introduced.size() < 2) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: increment 0 trains {} classes; the start needs 2 or more",
                              list_.name, start.introduced.size()));
    }
    Index tests = 0;
    for (Index t = 0; t < schedule_.size(); ++t) {
      tests += schedule_.increments[at(t)].split(Side::test).size();
      if (schedule_.increments[at(t)].split(Side::train).row.empty()) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: increment {} has no labelled row to train on{}", list_.name, t,
                                notes_.empty() ? "" : "; " + notes_.front()));
      }
    }
    if (tests == 0) {
      throw Error(ErrorKind::data, fmt::format("{}: nothing is shown in test", list_.name));
    }
  }

  const ManifestList& list_;
  Series& series_;
  IndexTable& table_;
  const ManifestWorldOptions& options_;
  std::vector<Index> listed_, row_;  // of list and data, pair by pair
  std::vector<Index> item_of_;       // by row of the data: of the list
  Schedule schedule_;
  std::vector<std::string> notes_;
};

class ManifestSource final : public PlanSource {
 public:
  ManifestSource(const std::shared_ptr<const IncrementPlan>& plan, std::vector<std::string> notes)
      : PlanSource(plan), notes_(std::move(notes)) {}

  [[nodiscard]] WorldFacts facts() const override {
    WorldFacts facts = PlanSource::facts();
    facts.notes.insert(facts.notes.begin(), notes_.begin(), notes_.end());
    return facts;
  }

 private:
  std::vector<std::string> notes_;
};

}  // namespace

WorldSpec manifest_world_spec() {
  WorldSpec spec;
  spec.name = "manifest";
  spec.summary = "a table says when and in which split each sample is shown, and what it is called";
  spec.paper =
      "Prijatelj et al., Human Activity Recognition in an Open World, JAIR 81, 2024, section 5";
  describe_options<ManifestWorldOptions>(spec, read_manifest_options);
  spec.build = [](const ConfigNode& node, std::string_view path, std::vector<Dataset> datasets,
                  std::uint64_t seed) -> std::unique_ptr<WorldSource> {
    const ManifestWorldOptions options = read_manifest_options(node, path);
    Series series = join_series(std::move(datasets));
    const ManifestList list = options.file.empty()
                                  ? manifest_of(series.joined, options.columns)
                                  : read_manifest(CsvTable::load(options.file), options.columns);
    const Rng rng(seed, "world");
    ListedSchedule listed(list, series, options);
    Schedule schedule = listed.build(rng.fork("schedule"));
    auto plan = make_plan(std::move(series), std::move(schedule), rng.fork("ids"));
    add_label_changes(*plan, options.label_changes, fmt::format("{}.label_changes", path));
    add_nuisance(*plan, options.nuisance, path, seed);
    return std::make_unique<ManifestSource>(plan, listed.notes());
  };
  return spec;
}

}  // namespace tyto
