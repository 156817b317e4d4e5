// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/split/build_split.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/files/whole_folder.hpp"
#include "tyto/engine/split/split_page.hpp"

namespace tyto {

namespace {

constexpr std::size_t kNotesOfAKind = 3;

std::vector<ListedRow> read_release_lists(const SplitPlan& plan, const ReleasePlan& release) {
  if (release.lists.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: the release \"{}\" has no lists", release.place, release.name));
  }
  std::vector<CsvTable> files;
  for (const std::filesystem::path& path : release.lists) {
    files.push_back(CsvTable::load(path));
  }
  return read_lists(files, plan.columns, release.splits);
}

void check_plan_renames(const SplitPlan& plan, const std::vector<std::vector<ListedRow>>& lists,
                        const UnifyRules& rules, std::vector<std::string>& notes) {
  std::vector<std::vector<Rename>> own;
  std::vector<std::vector<Rename>> supersedes;
  for (const ReleasePlan& release : plan.releases) {
    own.push_back(release.renames);
    supersedes.push_back(release.supersedes);
  }
  const RenameUse use = check_renames(lists, rules, own, supersedes);
  if (use.made_up && !plan.new_names) {
    throw Error(ErrorKind::data,
                fmt::format("{}; say new_names: true if that is meant", *use.made_up));
  }
  for (std::size_t i = 0; i < std::min(use.idle.size(), kNotesOfAKind); ++i) {
    notes.push_back(use.idle[i]);
  }
  if (use.idle.size() > kNotesOfAKind) {
    notes.push_back(
        fmt::format("{} more renames have nothing to rename", use.idle.size() - kNotesOfAKind));
  }
}

void check_strays(const SplitPlan& plan, const std::vector<LostClip>& blacklist,
                  const std::vector<std::size_t>& strays, std::vector<std::string>& notes) {
  if (strays.empty()) {
    return;
  }
  const LostClip& first = blacklist[strays.front()];
  const std::string sentence = fmt::format("{}: line {}: \"{}\" is no labelled clip of the lists",
                                           plan.blacklist.string(), first.line, first.key.text());
  if (plan.strays == "refuse") {
    throw Error(ErrorKind::data, fmt::format("{}; {} of {} lines are none, and strays: refuse",
                                             sentence, strays.size(), blacklist.size()));
  }
  notes.push_back(sentence);
}

void expect_shown(const SplitPlan& plan, const UnifiedReleases& unified) {
  for (std::size_t r = 0; r < plan.releases.size(); ++r) {
    const ListCounts counts = unified.total(r);
    if (counts.shown == 0) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the release \"{}\" shows nothing: of its {} rows {} are "
                              "repeated, {} lost, {} unlabelled, {} unused",
                              plan.releases[r].place, plan.releases[r].name, counts.rows,
                              counts.repeated, counts.lost, counts.unlabelled, counts.unused));
    }
  }
}

}  // namespace

double split_steps(const SplitPlan& plan) {
  return static_cast<double>(plan.releases.size()) + 3;  // read, unified, spread, written
}

BuiltSplit build_split(const SplitPlan& plan, Progress& progress) {
  BuiltSplit built;
  std::vector<std::vector<ListedRow>> lists;
  for (const ReleasePlan& release : plan.releases) {
    progress.note(fmt::format("reading {}", release.name));
    lists.push_back(read_release_lists(plan, release));
    progress.advance(1);
  }
  std::vector<LostClip> blacklist;
  if (!plan.blacklist.empty()) {
    blacklist = read_blacklist(read_maybe_gz(plan.blacklist), plan.blacklist.string(),
                               plan.columns.have_times());
  }
  built.blacklist_lines = std::ssize(blacklist);
  progress.note("unifying");
  const UnifyRules rules = plan.rules();
  check_plan_renames(plan, lists, rules, built.notes);
  built.unified = unify_releases(lists, rules, blacklist);
  check_strays(plan, blacklist, built.unified.strays, built.notes);
  expect_shown(plan, built.unified);
  if (!plan.label_changes.empty()) {
    built.possible = possible_classes(built.unified, CsvTable::load(plan.label_changes),
                                      plan.names_of_releases(), plan.new_names);
  }
  progress.advance(1);
  progress.note("spreading");
  const auto seed = static_cast<std::uint64_t>(plan.seed);
  built.split = build_release_increments(built.unified, plan, Rng(seed, plan.stream));
  built.counts = count_increments(built.split.schedule);
  for (const std::string& release : built.split.without_train) {
    built.notes.push_back(fmt::format(
        "{} has no train rows: its novel classes are ordered by all its labelled rows", release));
  }
  progress.advance(1);
  return built;
}

void write_split(const SplitPlan& plan, const BuiltSplit& built, const std::filesystem::path& out,
                 Progress& progress) {
  progress.note("writing");
  write_whole_folder(out, [&](const std::filesystem::path& folder) {
    write_file(folder / "manifest.csv", manifest_csv(built.split, plan));
    write_file(folder / "classes.csv", classes_csv(built.unified, plan, built.split.schedule));
    write_file(folder / "counts.csv", counts_csv(built.counts));
    write_file(folder / "split.html", split_page(plan, built));
  });
  progress.advance(1);
}

}  // namespace tyto
