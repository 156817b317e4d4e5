// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/releases/split_plan.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/locations.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/split_word.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kLabelRules{"recent_first", "first_come"};
constexpr std::array<std::string_view, 1> kPlaceRules{"first_come"};
constexpr std::array<std::string_view, 2> kTestRules{"union", "separate"};
constexpr std::array<std::string_view, 2> kSchedules{"text", "table"};
constexpr std::array<std::string_view, 2> kNovelRules{"shown", "taught"};
constexpr std::array<std::string_view, 2> kStrayRules{"count", "refuse"};
constexpr std::string_view kUnused = "unused";
constexpr double kMostIncrements = 10000, kLargestSeed = 9e15;

// The keys of the file; what is behind them is read by hand.
struct PlanFields {
  std::string name, summary;
  ConfigNode about, releases;
  SplitPlan plan;
  Index increments = 5;
  std::string start, blacklist, label_changes;

  void describe(OptionVisitor& v) {
    v.field("name", name, {}, "of the benchmark");
    v.field("summary", summary, {}, "one line about it");
    v.field("about", about, "origin, licence, citation: texts by key");
    v.section(
        "columns",
        [this](OptionVisitor& inner) {
          inner.field("id", plan.columns.id, {}, "of the video or sample");
          inner.field("start", plan.columns.start, {},
                      "second at which the clip begins, -1: not known; none: a clip is its id");
          inner.field("end", plan.columns.end, {}, "second at which it ends");
          inner.field("label", plan.columns.label, {}, "class; empty where it is not published");
          inner.field("split", plan.columns.split, {}, "train, validate (or val), test, ...");
        },
        "what the lists call their columns");
    v.field("label", plan.label, kLabelRules,
            "whose label a clip has that several releases label: the newest's or the first's");
    v.field("place", plan.place, kPlaceRules, "a clip is shown with the first release that has it");
    v.field("merge_case", plan.merge_case, "names that differ only in letter case are one class");
    v.field("new_names", plan.new_names, "renames may lead to names that no list has");
    v.field("blacklist", blacklist, {}, "file of lost clips, {id}_{start:06d}_{end:06d} per line");
    v.field("strays", plan.strays, kStrayRules,
            "lines of the black list that match no labelled clip: counted or refused");
    v.field("label_changes", label_changes, {},
            "CSV of from_dataset, to_label: counts the classes that clips can carry");
    v.field("start", start, {},
            "increment 0 holds the releases up to this one; none: the first one");
    v.field("increments", increments, {1, kMostIncrements}, "per release after the start");
    v.field("schedule", plan.schedule, kSchedules,
            "text: frequent classes first, floor; table: rare classes first, ceil");
    v.field("novel", plan.novel, kNovelRules,
            "until when a class counts as novel: shown, in any split of an earlier increment; "
            "taught, by train, as the paper's tables count");
    v.field("test", plan.test, kTestRules,
            "union: after the start an increment's validate rows go in front of its test rows");
    v.field("seed", plan.seed, {0, kLargestSeed}, "of the folds");
    v.field("stream", plan.stream, {},
            "of random numbers; none: the name. The same stream keeps the folds of another file");
    v.field("releases", releases, "by age, a map each");
  }
};

struct ReleaseFields {
  std::string name;
  std::vector<std::string> also_called, lists;
  ConfigNode splits, renames, supersedes;
  Index increments = 0;

  void describe(OptionVisitor& v) {
    v.field("name", name, {}, "of the release; a column in_NAME of classes.csv");
    v.field("also_called", also_called, {}, "what tables of label changes call it besides");
    v.field("lists", lists, {}, "CSV files (.gz) of its rows, one after another");
    v.field("splits", splits,
            "what splits of the lists become: train, validate, test or unused, as in {validate: "
            "test, test: unused}; others keep their name");
    v.field("renames", renames,
            "of labels that this release gives: a map {old: new}, or a CSV of from_label, to_label "
            "and perhaps from_dataset");
    v.field("supersedes", supersedes,
            "the same for labels that earlier releases give, after their own renames");
    v.field("increments", increments, {0, kMostIncrements},
            "over which it is spread; 0: as many as the others");
  }
};

std::string plan_place(const ConfigNode& node, std::string_view path) {
  return fmt::format("{}: {}", node.place(), path);
}

std::vector<ListSplit> read_splits(const ConfigNode& node, const std::string& path) {
  std::vector<ListSplit> splits = standard_splits();
  if (!node.is_null() && node.kind != ConfigNode::Kind::map) {
    throw Error(ErrorKind::config,
                fmt::format("{}: must be a map, as in {{validate: test}}", plan_place(node, path)));
  }
  for (const ConfigPair& pair : node.pairs) {
    const std::string_view becomes =
        pair.value.text == kUnused ? kUnused : canonical_split(pair.value.text);
    if (becomes.empty()) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: \"{}\" is not one of train, validate, test, unused",
                              plan_place(pair.value, path + "." + pair.key), pair.value.text));
    }
    const std::string_view canonical = canonical_split(pair.key);
    const std::string listed(canonical.empty() ? std::string_view(pair.key) : canonical);
    const auto known = std::find_if(splits.begin(), splits.end(),
                                    [&](const ListSplit& split) { return split.listed == listed; });
    ListSplit& split = known == splits.end() ? splits.emplace_back() : *known;
    split = {listed, becomes == kUnused ? "" : std::string(becomes)};
  }
  return splits;
}

std::vector<Rename> renames_of(const ConfigNode& node, const std::string& path,
                               const std::vector<std::string>& names, const fs::path& folder) {
  std::vector<Rename> renames;
  if (node.kind == ConfigNode::Kind::scalar) {
    renames = read_renames(CsvTable::load(folder / node.text), names);
  } else if (node.kind == ConfigNode::Kind::list) {
    throw Error(ErrorKind::config, fmt::format("{}: must be a map {{old: new}} or a CSV file",
                                               plan_place(node, path)));
  } else {
    renames = read_renames(node, path);
  }
  follow_renames(renames);  // refuses what leads nowhere
  return renames;
}

ReleasePlan read_release(const ConfigNode& node, std::size_t number, const fs::path& folder) {
  const std::string path = fmt::format("releases.{}", number);
  const auto fields = read_options<ReleaseFields>(node, path);
  ReleasePlan release;
  release.place = plan_place(node, path);
  release.name = fields.name;
  if (release.name.empty()) {
    throw Error(ErrorKind::config, fmt::format("{}: the release has no name", release.place));
  }
  release.also_called = fields.also_called;
  for (const std::string& list : fields.lists) {
    release.lists.push_back(folder / list);
  }
  release.splits = read_splits(fields.splits, path + ".splits");
  release.renames = renames_of(fields.renames, path + ".renames", release.names(), folder);
  release.supersedes = renames_of(fields.supersedes, path + ".supersedes", {}, folder);
  release.increments = fields.increments;
  return release;
}

void expect_different_names(const SplitPlan& plan) {
  std::map<std::string, const ReleasePlan*> known;
  for (const ReleasePlan& release : plan.releases) {
    for (const std::string& name : release.names()) {
      const auto [first, is_new] = known.try_emplace(name, &release);
      if (!is_new) {
        throw Error(ErrorKind::config, fmt::format("{}: a release is called \"{}\" already, at {}",
                                                   release.place, name, first->second->place));
      }
    }
  }
}

std::size_t start_of(const SplitPlan& plan, const ConfigNode& node, const std::string& name) {
  if (name.empty()) {
    return 0;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plan.releases.size(); ++i) {
    if (plan.releases[i].name == name) {
      return i;
    }
    names.push_back(plan.releases[i].name);
  }
  throw Error(ErrorKind::config, fmt::format("{}: no release is called \"{}\"{}; there are: {}",
                                             plan_place(*node.find("start"), "start"), name,
                                             did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace

std::vector<std::string> ReleasePlan::names() const {
  std::vector<std::string> all{name};
  all.insert(all.end(), also_called.begin(), also_called.end());
  return all;
}

UnifyRules SplitPlan::rules() const {
  UnifyRules rules;
  rules.recent_first = label == "recent_first";
  rules.merge_case = merge_case;
  for (const ReleasePlan& release : releases) {
    rules.releases.push_back({release.name, release.splits, follow_renames(release.renames),
                              follow_renames(release.supersedes)});
  }
  return rules;
}

std::vector<std::vector<std::string>> SplitPlan::names_of_releases() const {
  std::vector<std::vector<std::string>> names;
  for (const ReleasePlan& release : releases) {
    names.push_back(release.names());
  }
  return names;
}

ReleasePlan& SplitPlan::release(std::string_view wanted) {
  std::vector<std::string> names;
  for (ReleasePlan& release : releases) {
    if (release.name == wanted) {
      return release;
    }
    names.push_back(release.name);
  }
  throw unknown_name("release", wanted, names);
}

SplitPlan read_split_plan(const ConfigNode& node, const fs::path& folder) {
  auto fields = read_options<PlanFields>(node, "");
  SplitPlan plan = std::move(fields.plan);
  plan.file = node.file;
  plan.name = fields.name;
  plan.summary = fields.summary;
  if (plan.name.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: name: the split needs a name, as in name: kowl718", node.place()));
  }
  plan.stream = plan.stream.empty() ? plan.name : plan.stream;
  for (const ConfigPair& pair : fields.about.pairs) {
    plan.about[pair.key] = pair.value.text;
  }
  if (plan.columns.start.empty() != plan.columns.end.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: columns: start is \"{}\" and end is \"{}\"; give both or none",
                            node.place(), plan.columns.start, plan.columns.end));
  }
  if (fields.releases.kind != ConfigNode::Kind::list || fields.releases.items.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: releases: must be a list of one release or more", node.place()));
  }
  for (const ConfigNode& item : fields.releases.items) {
    plan.releases.push_back(read_release(item, plan.releases.size(), folder));
    Index& increments = plan.releases.back().increments;
    increments = increments == 0 ? fields.increments : increments;
  }
  expect_different_names(plan);
  plan.start = start_of(plan, node, fields.start);
  plan.blacklist = fields.blacklist.empty() ? fs::path() : folder / fields.blacklist;
  plan.label_changes = fields.label_changes.empty() ? fs::path() : folder / fields.label_changes;
  return plan;
}

std::vector<std::string> split_plan_names() {
  std::set<std::string> names;
  for (const fs::path& place : shared_folders("datasets")) {
    if (fs::is_directory(place / "splits")) {
      for (const auto& entry : fs::directory_iterator(place / "splits")) {
        if (entry.path().extension() == ".yaml") {
          names.insert(entry.path().stem().string());
        }
      }
    }
  }
  return {names.begin(), names.end()};
}

fs::path find_split_plan(std::string_view file_or_name) {
  if (fs::is_regular_file(file_or_name)) {
    return file_or_name;
  }
  for (const fs::path& place : shared_folders("datasets")) {
    const fs::path file = place / "splits" / fmt::format("{}.yaml", file_or_name);
    if (fs::is_regular_file(file)) {
      return file;
    }
  }
  if (file_or_name.ends_with(".yaml") || file_or_name.ends_with(".yml")) {
    throw Error(ErrorKind::io, fmt::format("{}: there is no such file", file_or_name));
  }
  throw unknown_name("split", file_or_name, split_plan_names());
}

std::vector<OptionHelp> split_plan_options() {
  PlanFields fields;
  std::vector<OptionHelp> all = explain_options([&](OptionVisitor& v) { fields.describe(v); });
  ReleaseFields release;
  for (OptionHelp help : explain_options([&](OptionVisitor& v) { release.describe(v); })) {
    help.key = "releases.N." + help.key;
    all.push_back(std::move(help));
  }
  return all;
}

}  // namespace tyto
