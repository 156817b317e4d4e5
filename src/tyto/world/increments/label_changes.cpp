// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/label_changes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/options.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

namespace {

struct WrittenChange {
  LabelChange change;
  std::string path;               // dotted, for messages
  std::string annotation, table;  // of a split, one of them
};

struct WrittenChanges {  // of one item of the list
  Index increment = 0;
  std::vector<WrittenChange> all;
};

struct ChangeFields {
  Index increment = 0;
  ConfigNode rename, merge, split;

  void describe(OptionVisitor& visitor) {
    visitor.field("increment", increment, {1, 1e9}, "the first that uses the new names");
    visitor.field("rename", rename, "old name: new name");
    visitor.field("merge", merge, "new name: [old names]");
    visitor.field("split", split, "old name: {annotation: column} or {table: file}");
  }
};

struct SplitFields {
  std::string annotation, table;

  void describe(OptionVisitor& visitor) {
    visitor.field("annotation", annotation, {}, "column of the data with the new names");
    visitor.field("table", table, {}, "instead: CSV file with the columns id and label");
  }
};

[[noreturn]] void refuse_change(const ConfigNode& at, std::string_view path,
                                std::string_view what) {
  const std::string place = at.place();
  throw Error(ErrorKind::config,
              fmt::format("{}{}{}: {}", place, place.empty() ? "" : ": ", path, what));
}

const std::vector<ConfigPair>& pairs_of(const ConfigNode& node, std::string_view path) {
  if (node.kind != ConfigNode::Kind::map && node.kind != ConfigNode::Kind::null) {
    refuse_change(node, path, "must be a map of names");
  }
  return node.pairs;
}

void expect_class_name(const ConfigNode& at, const std::string& name, std::string_view path) {
  try {
    LabelSpace space;
    space.add_known(name);
  } catch (const Error& problem) {
    refuse_change(at, path, problem.what());
  }
}

WrittenChanges read_item(const ConfigNode& node, const std::string& path) {
  const auto fields = read_options<ChangeFields>(node, path);
  if (fields.increment < 1) {
    refuse_change(node, path, "needs an increment, 1 or later, from which on it holds");
  }
  WrittenChanges out{fields.increment, {}};
  for (const auto& [old, now] : pairs_of(fields.rename, path + ".rename")) {
    const std::string own = fmt::format("{}.rename.{}", path, old);
    if (now.kind != ConfigNode::Kind::scalar || now.text == old) {
      refuse_change(now, own, "must be another name");
    }
    expect_class_name(now, now.text, own);
    out.all.push_back({{LabelChangeKind::rename, {old}, now.text}, own, "", ""});
  }
  for (const auto& [now, olds] : pairs_of(fields.merge, path + ".merge")) {
    const std::string own = fmt::format("{}.merge.{}", path, now);
    expect_class_name(olds, now, own);
    LabelChange change{LabelChangeKind::merge, {}, now};
    for (const ConfigNode& old : olds.items) {
      if (old.kind != ConfigNode::Kind::scalar) {
        refuse_change(old, own, "must be a list of names");
      }
      if (old.text != now) {  // a class may take others in
        change.from.push_back(old.text);
      }
    }
    if (olds.items.size() < 2 || change.from.empty()) {
      refuse_change(olds, own, "must be a list of two or more names that become one");
    }
    out.all.push_back({std::move(change), own, "", ""});
  }
  for (const auto& [old, by] : pairs_of(fields.split, path + ".split")) {
    const std::string own = fmt::format("{}.split.{}", path, old);
    const auto how = read_options<SplitFields>(by, own);
    if (how.annotation.empty() == how.table.empty()) {
      refuse_change(by, own,
                    "needs an annotation or a table that tells the new names, one of them");
    }
    out.all.push_back({{LabelChangeKind::split, {old}, ""}, own, how.annotation, how.table});
  }
  if (out.all.empty()) {
    refuse_change(node, path, "changes nothing; it needs rename, merge or split");
  }
  return out;
}

std::vector<WrittenChanges> read_changes(const ConfigNode& node, std::string_view path) {
  if (node.kind != ConfigNode::Kind::list && !node.is_null()) {
    refuse_change(node, path, "must be a list, as in [{increment: 3, rename: {a: b}}]");
  }
  std::vector<WrittenChanges> changes;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    changes.push_back(read_item(node.items[i], fmt::format("{}.{}", path, i)));
    if (i > 0 && changes[i].increment < changes[i - 1].increment) {
      refuse_change(node.items[i], fmt::format("{}.{}.increment", path, i),
                    fmt::format("{} comes after {}; write them in order", changes[i].increment,
                                changes[i - 1].increment));
    }
  }
  return changes;
}

std::vector<Index> increment_of_rows(const IndexTable& table, const Schedule& schedule) {
  std::vector<Index> increment(static_cast<std::size_t>(table.size()), -1);  // never shown
  for (std::size_t step = 0; step < schedule.increments.size(); ++step) {
    for (const ScheduledSplit& split : schedule.increments[step].splits) {
      for (const Index row : split.row) {
        increment[at(row)] = static_cast<Index>(step);
      }
    }
  }
  return increment;
}

// The new name of every row of the class that is split.
std::map<std::string, std::string> table_by_id(const WrittenChange& written) {
  const CsvTable csv = CsvTable::load(written.table);
  const Index id = csv.column("id");
  const Index label = csv.column("label");
  std::map<std::string, std::string> names;
  for (Index row = 0; row < csv.rows(); ++row) {
    names.insert_or_assign(std::string(csv.text(row, id)), std::string(csv.text(row, label)));
  }
  return names;
}

void apply_split(const WrittenChange& written, const IndexTable& table,
                 std::vector<std::string>& current) {
  const auto column = table.annotations.find(written.annotation);
  if (!written.annotation.empty() && column == table.annotations.end()) {
    throw Error(ErrorKind::config, fmt::format("{}: the data have no annotation \"{}\"",
                                               written.path, written.annotation));
  }
  const auto names =
      written.table.empty() ? std::map<std::string, std::string>() : table_by_id(written);
  for (Index row = 0; row < table.size(); ++row) {
    if (current[at(row)] != written.change.from.front()) {
      continue;
    }
    const auto listed = names.find(table.id[at(row)]);
    const std::string name = !written.annotation.empty() ? column->second[at(row)]
                             : listed == names.end()     ? std::string()
                                                         : listed->second;
    if (name.empty() || name == written.change.from.front()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the sample \"{}\" has no new name in {}", written.path,
                              table.id[at(row)],
                              written.table.empty() ? "that annotation" : written.table));
    }
    LabelSpace space;
    space.add_known(name);  // throws where the name is reserved
    current[at(row)] = name;
  }
}

void apply_change(const WrittenChange& written, const IndexTable& table,
                  std::vector<std::string>& current) {
  for (const std::string& old : written.change.from) {
    if (std::find(current.begin(), current.end(), old) == current.end()) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: no class is called \"{}\" then", written.path, old));
    }
  }
  if (written.change.kind == LabelChangeKind::split) {
    apply_split(written, table, current);
    return;
  }
  for (std::string& label : current) {
    const auto& from = written.change.from;
    if (std::find(from.begin(), from.end(), label) != from.end()) {
      label = written.change.to;
    }
  }
}

void mark_novel_by_name(const Schedule& schedule, const std::vector<std::string>& label_before,
                        LabelHistory& history) {
  std::set<std::string_view> touched;
  for (const std::vector<LabelChange>& changes : history.changes) {
    for (const LabelChange& change : changes) {
      touched.insert(change.to);
    }
  }
  for (std::size_t step = 0; step < schedule.increments.size(); ++step) {
    const std::set<std::string_view> shown(history.shown[step].begin(), history.shown[step].end());
    auto& marks = history.novel.emplace_back();
    for (std::size_t side = 0; side < marks.size(); ++side) {
      const ScheduledSplit& split = schedule.increments[step].splits[side];
      marks[side] = split.novel;
      for (std::size_t i = 0; i < split.row.size(); ++i) {
        const std::string& name = history.label[at(split.row[i])];
        if (name != label_before[at(split.row[i])] || touched.contains(name)) {
          marks[side][i] = !shown.contains(name);
        }
      }
    }
  }
}

}  // namespace

void describe_label_changes(OptionVisitor& visitor, ConfigNode& changes) {
  visitor.field("label_changes", changes,
                "classes called otherwise from an increment on: [{increment: 3, rename: {a: b}}, "
                "{increment: 4, merge: {d: [a, c]}}, {increment: 5, split: {d: {annotation: "
                "COLUMN}}}]; a split goes by an annotation or by {table: FILE} of id and label");
}

void check_label_changes(const ConfigNode& node, std::string_view path) {
  (void)read_changes(node, path);
}

LabelHistory label_history(const ConfigNode& node, std::string_view path, const IndexTable& table,
                           const Schedule& schedule) {
  const std::vector<WrittenChanges> written = read_changes(node, path);
  LabelHistory history;
  if (written.empty()) {
    return history;
  }
  if (written.back().increment >= schedule.size()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: increment {} is never reached; the last one is {}", path,
                            written.back().increment, schedule.size() - 1));
  }
  const std::vector<Index> increment = increment_of_rows(table, schedule);
  history.changes.resize(at(schedule.size()));
  history.label = table.label;
  std::vector<std::string> current = table.label;
  for (std::size_t row = 0; row < current.size(); ++row) {
    if (increment[row] < 0) {
      current[row].clear();  // rows that are never shown may be called anything
    }
  }
  std::map<std::string, Index> first(schedule.first_shown.begin(), schedule.first_shown.end());
  const std::set<std::string> before(current.begin(), current.end());
  for (Index step = 0; step < schedule.size(); ++step) {
    for (const WrittenChanges& item : written) {
      for (const WrittenChange& change : item.all) {
        if (item.increment == step) {
          apply_change(change, table, current);
          history.changes[at(step)].push_back(change.change);
        }
      }
    }
    std::map<std::string, Index> shown;  // with the last increment before this one
    for (Index row = 0; row < table.size(); ++row) {
      const Index when = increment[at(row)];
      const auto original = first.find(table.label[at(row)]);
      const Index class_first = original == first.end() ? when : original->second;
      const bool of_start = step == 0 && class_first < 0;  // known before anything is shown
      if (when >= 0 && (when < step || of_start)) {
        Index& last = shown.try_emplace(current[at(row)], -1).first->second;
        last = std::max(last, when < step ? when : -1);
      }
      if (when == step) {
        history.label[at(row)] = current[at(row)];
      }
      if (when >= 0 && when <= step && !before.contains(current[at(row)])) {
        const auto [found, is_new] = first.try_emplace(current[at(row)], class_first);
        found->second = std::min(found->second, class_first);
      }
    }
    history.shown.emplace_back();
    history.last_shown.emplace_back();
    for (const auto& [name, last] : shown) {
      history.shown.back().push_back(name);
      history.last_shown.back().push_back(last);
    }
  }
  mark_novel_by_name(schedule, table.label, history);
  for (const auto& [name, when] : first) {
    if (!before.contains(name)) {
      history.first_shown.emplace_back(name, when);
    }
  }
  return history;
}

}  // namespace tyto
