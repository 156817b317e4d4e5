// SPDX-License-Identifier: Apache-2.0
// tyto split kowl718
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/files/whole_folder.hpp"
#include "tyto/core/progress.hpp"
#include "tyto/report/text_table.hpp"
#include "tyto/world/kowl718.hpp"
#include "tyto/world/manifest.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kSteps = 6;  // three releases read, unified, spread, written

struct SplitCall {
  PerRelease<std::vector<std::filesystem::path>> lists;
  std::filesystem::path label_changes, blacklist, out;
  std::string test = "union";
  Kowl718Options options;
  std::uint64_t seed = 0;
  bool keep_case = false, json = false;
};

struct SplitOutcome {
  UnifiedKinetics unified;
  Kowl718 split;
  std::vector<IncrementCounts> counts;
  std::optional<PerRelease<Index>> possible;
  std::size_t blacklist_lines = 0;
};

SplitOutcome build(const SplitCall& call, Progress& progress) {
  SplitOutcome outcome;
  PerRelease<std::vector<KineticsRow>> lists;
  for (std::size_t release = 0; release < lists.size(); ++release) {
    progress.note(fmt::format("reading {}", kReleaseNames[release]));
    std::vector<CsvTable> files;
    for (const std::filesystem::path& path : call.lists[release]) {
      files.push_back(CsvTable::load(path));
    }
    lists[release] = read_kinetics(files, static_cast<Release>(release));
    progress.advance(1);
  }
  std::vector<ClipKey> blacklist;
  if (!call.blacklist.empty()) {
    blacklist = read_blacklist(read_maybe_gz(call.blacklist), call.blacklist.string());
  }
  outcome.blacklist_lines = blacklist.size();
  progress.note("unifying");
  outcome.unified = unify_kinetics(lists, blacklist, !call.keep_case);
  if (!call.label_changes.empty()) {
    outcome.possible = possible_classes(outcome.unified, CsvTable::load(call.label_changes));
  }
  progress.advance(1);
  progress.note("spreading");
  outcome.split = build_kowl718(outcome.unified, call.options, Rng(call.seed, "kowl718"));
  outcome.counts = count_increments(outcome.split.schedule);
  progress.advance(1);
  return outcome;
}

void save(const SplitOutcome& outcome, const std::filesystem::path& out) {
  write_whole_folder(out, [&](const std::filesystem::path& folder) {
    write_file(folder / "manifest.csv", manifest_csv(outcome.split));
    write_file(folder / "classes.csv", classes_csv(outcome.unified, outcome.split.schedule));
    write_file(folder / "counts.csv", counts_csv(outcome.counts));
  });
}

Json to_json(const ListCounts& list) {
  return {{"rows", list.rows}, {"shown", list.shown},           {"repeated", list.repeated},
          {"lost", list.lost}, {"unlabelled", list.unlabelled}, {"unused", list.unused}};
}

Json to_json(const SplitCall& call, const SplitOutcome& outcome) {
  const UnifiedKinetics& unified = outcome.unified;
  Json out;
  out["folder"] = call.out.string();
  out["schedule"] = call.options.schedule;
  out["test"] = call.test;
  out["seed"] = call.seed;
  out["names"] = unified.names.size();
  out["classes"] = unified.classes();
  out["renamed"] = unified.renamed;
  out["recased"] = unified.recased;
  out["lists"] = Json::array();
  for (std::size_t release = 0; release < unified.counts.size(); ++release) {
    for (std::size_t split = 0; split < kListSplits.size(); ++split) {
      Json list{{"dataset", kReleaseNames[release]}, {"split", kListSplits[split]}};
      list.update(to_json(unified.counts[release][split]));
      out["lists"].push_back(std::move(list));
    }
  }
  out["total"] = to_json(unified.total());
  out["blacklist"] = {{"lines", outcome.blacklist_lines}, {"strays", unified.blacklist_strays}};
  out["without_train"] = outcome.split.without_train;
  if (outcome.possible) {
    out["possible_classes"] = *outcome.possible;
  }
  out["increments"] = Json::array();
  for (const IncrementCounts& counts : outcome.counts) {
    Json increment{{"dataset", counts.dataset},
                   {"known_classes", counts.known_classes},
                   {"novel_classes", counts.novel_classes}};
    for (std::size_t side = 0; side < kSideNames.size(); ++side) {
      increment[std::string(kSideNames[side])] = {{"known", counts.samples[side].known},
                                                  {"novel", counts.samples[side].novel}};
    }
    out["increments"].push_back(std::move(increment));
  }
  return out;
}

std::string lists_text(const UnifiedKinetics& unified) {
  TextTable table({"list", "rows", "shown", "repeated", "lost", "unlabelled", "unused"});
  const auto add = [&](const std::string& name, const ListCounts& list) {
    std::vector<std::string> row{name};
    for (const Index n :
         {list.rows, list.shown, list.repeated, list.lost, list.unlabelled, list.unused}) {
      row.push_back(std::to_string(n));
    }
    table.add(std::move(row));
  };
  for (std::size_t release = 0; release < unified.counts.size(); ++release) {
    for (std::size_t split = 0; split < kListSplits.size(); ++split) {
      if (unified.counts[release][split].rows > 0) {
        add(fmt::format("{} {}", kReleaseNames[release], kListSplits[split]),
            unified.counts[release][split]);
      }
    }
  }
  add("all", unified.total());
  return table.text();
}

std::string clips_by_name(const std::map<std::string, Index>& clips) {
  std::vector<std::string> items;
  for (const auto& [name, count] : clips) {
    items.push_back(fmt::format("{} {}", name, count));
  }
  return items.empty() ? "none" : fmt::format("{}", fmt::join(items, ", "));
}

void print_text(const SplitCall& call, const SplitOutcome& outcome) {
  const UnifiedKinetics& unified = outcome.unified;
  fmt::print("{} names became {} classes{}\n", unified.names.size(), unified.classes(),
             call.keep_case ? "; letter case kept" : "");
  const auto shown = static_cast<Index>(outcome.split.schedule.first_shown.size());
  if (shown < unified.classes()) {
    fmt::print("{} of them have no sample\n", unified.classes() - shown);
  }
  fmt::print("renamed, by samples: {}\n", clips_by_name(unified.renamed));
  if (!call.keep_case) {
    fmt::print("put in another letter case, by samples: {}\n", clips_by_name(unified.recased));
  }
  if (outcome.possible) {
    const PerRelease<Index>& possible = *outcome.possible;
    fmt::print(
        "classes possible with the label changes: {} at increment 0, {} after k600, {} in "
        "all\n",
        possible[0], possible[1], possible[2]);
  }
  if (!call.blacklist.empty()) {
    fmt::print("blacklist: {} lines, {} of them match no labelled clip\n", outcome.blacklist_lines,
               unified.blacklist_strays);
  }
  fmt::print("\n{}\n", lists_text(unified));
  for (const std::string& release : outcome.split.without_train) {
    fmt::print("{} has no train rows: its novel classes are ordered by all its labelled rows\n",
               release);
  }
  fmt::print(
      "schedule {}, test {}, seed {}\n\n{}\nmanifest.csv, classes.csv and counts.csv are in "
      "{}\n",
      call.options.schedule, call.test, call.seed, counts_text(outcome.counts), call.out.string());
}

void split_kowl718(SplitCall call) {
  expect_free_folder(call.out);  // before the work
  call.options.unite_test = call.test == "union";
  Progress progress(stderr);
  progress.begin("split kowl718", kSteps);
  const SplitOutcome outcome = build(call, progress);
  progress.note("writing");
  save(outcome, call.out);
  progress.advance(1);
  progress.end();
  if (call.json) {
    fmt::print("{}\n", to_json(call, outcome).dump(2));
  } else {
    print_text(call, outcome);
  }
}

}  // namespace

void add_split_command(CLI::App& app) {
  auto call = std::make_shared<SplitCall>();
  CLI::App* split = app.add_subcommand("split", "Build the increments of a published benchmark");
  split->require_subcommand(1);
  CLI::App* kowl = split->add_subcommand(
      "kowl718", "Kinetics-400, -600 and -700 under one label set, from their annotation lists");
  const auto add_lists = [&](const std::string& name, Release release, const std::string& which) {
    kowl->add_option(name, call->lists[static_cast<std::size_t>(release)],
                     "CSV (.gz) lists of " + which +
                         ": label, youtube_id, time_start, time_end, split; may be repeated")
        ->required();
  };
  add_lists("--k400", Release::k400, "Kinetics-400");
  add_lists("--k600", Release::k600, "Kinetics-600");
  add_lists("--k700", Release::k700, "Kinetics-700-2020");
  kowl->add_option(
      "--label-changes", call->label_changes,
      "CSV of from_dataset, to_label: counts the classes that clips can carry up to each release");
  kowl->add_option("--blacklist", call->blacklist,
                   "lost files, a {youtube_id}_{start:06d}_{end:06d} per line");
  kowl->add_option("--schedule", call->options.schedule,
                   "text: frequent classes first, floor; table: rare classes first, ceil")
      ->check(CLI::IsMember({"text", "table"}))
      ->capture_default_str();
  kowl->add_option("--test", call->test,
                   "union: validate and test of k600 together (Table 1); separate (Table 2)")
      ->check(CLI::IsMember({"union", "separate"}))
      ->capture_default_str();
  kowl->add_flag("--keep-case", call->keep_case,
                 "names that differ only in letter case stay two classes (719)");
  kowl->add_option("--increments", call->options.increments, "increments per release after k400")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  kowl->add_option("--seed", call->seed, "seed of the folds")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  kowl->add_option("--out", call->out, "folder to make; must not exist or be empty")->required();
  kowl->add_flag("--json", call->json, "answer as JSON");
  kowl->footer(
      "Example:\n  tyto split kowl718 --k400 k400.csv.gz --k600 k600_train.csv k600_val.csv "
      "--k700 k700.csv.gz \\\n    --schedule table --out kowl718");
  kowl->callback([call] { split_kowl718(*call); });
}

}  // namespace tyto
