// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/releases/renames.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

namespace {

std::set<std::string> listed_names(const std::vector<ListedRow>& rows) {
  std::set<std::string> names;
  for (const ListedRow& row : rows) {
    if (!row.label.empty()) {
      names.insert(row.label);
    }
  }
  return names;
}

void expect_class_name(const Rename& rename) {
  try {
    LabelSpace().add_known(rename.to);  // knows which names are reserved
  } catch (const Error& problem) {
    throw Error(ErrorKind::config, fmt::format("{}: {}", rename.place, problem.what()));
  }
}

std::optional<std::size_t> release_called(
    std::string_view word, const std::vector<std::vector<std::string>>& names_of_releases) {
  for (std::size_t release = 0; release < names_of_releases.size(); ++release) {
    const auto& names = names_of_releases[release];
    if (std::find(names.begin(), names.end(), word) != names.end()) {
      return release;
    }
  }
  return {};
}

}  // namespace

std::vector<Rename> read_renames(const ConfigNode& map, std::string_view path) {
  std::vector<Rename> renames;
  for (const ConfigPair& pair : map.pairs) {
    const std::string place = fmt::format("{}: {}.{}", pair.value.place(), path, pair.key);
    if (pair.value.kind != ConfigNode::Kind::scalar) {
      throw Error(ErrorKind::config, fmt::format("{}: must be one name", place));
    }
    renames.push_back({pair.key, pair.value.text, place});
  }
  return renames;
}

std::vector<Rename> read_renames(const CsvTable& table, const std::vector<std::string>& names) {
  const Index from = table.column("from_label");
  const Index to = table.column("to_label");
  const auto of = table.find("from_dataset");
  std::vector<Rename> renames;
  for (Index row = 0; row < table.rows(); ++row) {
    if (!of || names.empty() ||
        std::find(names.begin(), names.end(), table.text(row, *of)) != names.end()) {
      renames.push_back({std::string(table.text(row, from)), std::string(table.text(row, to)),
                         table.place(row, from)});
    }
  }
  return renames;
}

NewNames follow_renames(const std::vector<Rename>& renames) {
  std::map<std::string_view, const Rename*> step;
  for (const Rename& rename : renames) {
    if (rename.from.empty() || rename.to.empty()) {
      throw Error(ErrorKind::config, fmt::format("{}: \"{}\" becomes \"{}\"; no name may be empty",
                                                 rename.place, rename.from, rename.to));
    }
    if (rename.from == rename.to) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: \"{}\" is renamed to itself", rename.place, rename.from));
    }
    expect_class_name(rename);
    const auto [known, is_new] = step.try_emplace(rename.from, &rename);
    if (!is_new && known->second->to != rename.to) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: \"{}\" becomes \"{}\" here and \"{}\" at {}; a name has one "
                              "successor",
                              rename.place, rename.from, rename.to, known->second->to,
                              known->second->place));
    }
  }
  NewNames names;
  for (const auto& [from, first] : step) {
    std::vector<std::string_view> trail{from};
    const Rename* last = first;
    for (auto next = step.find(last->to); next != step.end(); next = step.find(last->to)) {
      trail.push_back(last->to);
      if (trail.size() > step.size()) {
        trail.resize(std::min<std::size_t>(trail.size(), 4));
        throw Error(ErrorKind::config,
                    fmt::format("{}: the renames run in a circle: {}, ...; each must come to an "
                                "end",
                                first->place, fmt::join(trail, " -> ")));
      }
      last = next->second;
    }
    names.emplace(from, last->to);
  }
  return names;
}

RenameUse check_renames(const std::vector<std::vector<ListedRow>>& lists, const UnifyRules& rules,
                        const std::vector<std::vector<Rename>>& own,
                        const std::vector<std::vector<Rename>>& supersedes) {
  std::vector<std::set<std::string>> listed;
  std::set<std::string> all;
  const auto fold = [&](std::string_view name) {
    return rules.merge_case ? folded_case(name) : std::string(name);
  };
  for (const auto& rows : lists) {
    listed.push_back(listed_names(rows));
    for (const std::string& name : listed.back()) {
      all.insert(fold(name));
    }
  }
  RenameUse use;
  const auto check = [&](const Rename& rename, std::string_view whose, const NewNames& ends,
                         const std::set<std::string>& has) {
    if (!has.contains(rename.from)) {
      use.idle.push_back(
          fmt::format("{}: no list of {} has \"{}\"", rename.place, whose, rename.from));
    } else if (const std::string& end = ends.at(rename.from);
               !use.made_up && !all.contains(fold(end))) {
      use.made_up = fmt::format("{}: \"{}\" becomes \"{}\", which no list has", rename.place,
                                rename.from, end);
    }
  };
  std::set<std::string> before;  // as the releases so far call them
  for (std::size_t r = 0; r < lists.size(); ++r) {
    std::set<std::string> within = listed[r];
    for (const Rename& rename : own[r]) {
      within.insert(rename.to);  // a step of a chain
    }
    for (const Rename& rename : own[r]) {
      check(rename, rules.releases[r].name, rules.releases[r].renames, within);
    }
    for (const Rename& rename : supersedes[r]) {
      before.insert(rename.to);
    }
    for (const Rename& rename : supersedes[r]) {
      check(rename, fmt::format("a release before {}", rules.releases[r].name),
            rules.releases[r].supersedes, before);
    }
    for (const std::string& name : listed[r]) {
      const auto found = rules.releases[r].renames.find(name);
      before.insert(found == rules.releases[r].renames.end() ? name : found->second);
    }
  }
  return use;
}

std::vector<Index> possible_classes(const UnifiedReleases& unified, const CsvTable& changes,
                                    const std::vector<std::vector<std::string>>& names_of_releases,
                                    bool may_be_new) {
  const std::size_t releases = names_of_releases.size();
  std::map<std::string_view, std::string_view> unified_of;
  std::vector<std::set<std::string_view>> carried(releases);
  for (const UnifiedName& name : unified.names) {
    unified_of[name.listed] = name.unified;
    for (std::size_t release = 0; release < releases; ++release) {
      if (name.in[release]) {
        carried[release].insert(name.unified);
      }
    }
  }
  const Index from = changes.column("from_dataset");
  const Index to = changes.column("to_label");
  for (Index row = 0; row < changes.rows(); ++row) {
    const std::string_view label = changes.text(row, to);
    const auto found = unified_of.find(label);
    const auto release = release_called(changes.text(row, from), names_of_releases);
    if (!release) {
      std::vector<std::string> words;
      for (const auto& names : names_of_releases) {
        words.insert(words.end(), names.begin(), names.end());
      }
      throw Error(ErrorKind::data,
                  fmt::format("{}: \"{}\" is no release; there are: {}", changes.place(row, from),
                              changes.text(row, from), fmt::join(words, ", ")));
    }
    if (found == unified_of.end() && !may_be_new) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: clips change to \"{}\", which no list has; say new_names: true "
                              "if that is meant",
                              changes.place(row, to), label));
    }
    carried[*release].insert(found == unified_of.end() ? label : found->second);
  }
  std::vector<Index> counts;
  std::set<std::string_view> so_far;
  for (auto& names : carried) {
    so_far.merge(names);
    counts.push_back(static_cast<Index>(so_far.size()));
  }
  return counts;
}

}  // namespace tyto
