// SPDX-License-Identifier: Apache-2.0
// tyto split FILE.yaml, tyto split kowl718
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/settings.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/whole_folder.hpp"
#include "tyto/engine/split/build_split.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kKowl718 = "kowl718";

struct SplitCall {
  std::string plan;
  std::vector<std::string> settings, lists;  // key=value, release=file
  std::filesystem::path out;
  bool json = false;
};

// What the benchmark has options of its own for; the standards are those of its file.
struct Kowl718Call : SplitCall {
  std::vector<std::filesystem::path> k400, k600, k700;
  std::filesystem::path label_changes, blacklist;
  std::string schedule, test, novel;
  Index increments = 0;
  std::optional<Index> seed;
  bool keep_case = false;
};

Json to_json(const ListCounts& list) {
  return {{"rows", list.rows}, {"shown", list.shown},           {"repeated", list.repeated},
          {"lost", list.lost}, {"unlabelled", list.unlabelled}, {"unused", list.unused}};
}

Json to_json(const SplitCall& call, const SplitPlan& plan, const BuiltSplit& built) {
  const UnifiedReleases& unified = built.unified;
  Json out;
  out["folder"] = call.out.string();
  out["name"] = plan.name;
  out["schedule"] = plan.schedule;
  out["test"] = plan.test;
  out["seed"] = plan.seed;
  out["names"] = unified.names.size();
  out["classes"] = unified.classes();
  out["renamed"] = unified.renamed;
  out["recased"] = unified.recased;
  out["lists"] = Json::array();
  for (std::size_t release = 0; release < unified.counts.size(); ++release) {
    const ReleasePlan& listed = plan.releases[release];
    for (std::size_t split = 0; split < listed.splits.size(); ++split) {
      Json list{{"dataset", listed.name}, {"split", listed.splits[split].listed}};
      list.update(to_json(unified.counts[release][split]));
      out["lists"].push_back(std::move(list));
    }
  }
  out["total"] = to_json(unified.total());
  out["blacklist"] = {{"lines", built.blacklist_lines}, {"strays", unified.strays.size()}};
  out["without_train"] = built.split.without_train;
  out["notes"] = built.notes;
  if (built.possible) {
    out["possible_classes"] = *built.possible;
  }
  out["increments"] = Json::array();
  for (const IncrementCounts& counts : built.counts) {
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

std::string lists_text(const SplitPlan& plan, const UnifiedReleases& unified) {
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
    const ReleasePlan& listed = plan.releases[release];
    for (std::size_t split = 0; split < listed.splits.size(); ++split) {
      if (unified.counts[release][split].rows > 0) {
        add(fmt::format("{} {}", listed.name, listed.splits[split].listed),
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

// "410 at increment 0, 637 after k600, 718 in all"
std::string possible_text(const SplitPlan& plan, const std::vector<Index>& possible) {
  std::string text;
  for (std::size_t release = plan.start; release < possible.size(); ++release) {
    const std::string when = release == plan.start ? "at increment 0"
                             : release + 1 == possible.size()
                                 ? "in all"
                                 : "after " + plan.releases[release].name;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", possible[release], when);
  }
  return text;
}

void print_text(const SplitCall& call, const SplitPlan& plan, const BuiltSplit& built) {
  const UnifiedReleases& unified = built.unified;
  fmt::print("{} names became {} classes{}\n", unified.names.size(), unified.classes(),
             plan.merge_case ? "" : "; letter case kept");
  const auto shown = static_cast<Index>(built.split.schedule.first_shown.size());
  if (shown < unified.classes()) {
    fmt::print("{} of them have no sample\n", unified.classes() - shown);
  }
  fmt::print("renamed, by samples: {}\n", clips_by_name(unified.renamed));
  if (plan.merge_case) {
    fmt::print("put in another letter case, by samples: {}\n", clips_by_name(unified.recased));
  }
  if (built.possible) {
    fmt::print("classes possible with the label changes: {}\n",
               possible_text(plan, *built.possible));
  }
  if (!plan.blacklist.empty()) {
    fmt::print("blacklist: {} lines, {} of them match no labelled clip\n", built.blacklist_lines,
               unified.strays.size());
  }
  fmt::print("\n{}\n", lists_text(plan, unified));
  for (const std::string& note : built.notes) {
    fmt::print("{}\n", note);
  }
  fmt::print(
      "schedule {}, test {}, seed {}\n\n{}\nmanifest.csv, classes.csv, counts.csv and split.html "
      "are in {}\n",
      plan.schedule, plan.test, plan.seed, counts_text(built.counts), call.out.string());
}

void split_as_planned(const SplitCall& call, const SplitPlan& plan) {
  expect_free_folder(call.out);  // before the work
  Progress progress(stderr);
  progress.begin("split " + plan.name, split_steps(plan));
  const BuiltSplit built = build_split(plan, progress);
  write_split(plan, built, call.out, progress);
  progress.end();
  if (call.json) {
    fmt::print("{}\n", to_json(call, plan, built).dump(2));
  } else {
    print_text(call, plan, built);
  }
}

// `--list k400=FILE`: in place of those of the file, as many as are given.
void put_lists(SplitPlan& plan, const std::vector<std::string>& given) {
  std::vector<std::string_view> replaced;
  for (const std::string& word : given) {
    const auto equals = word.find('=');
    if (equals == 0 || equals == word.npos || equals + 1 == word.size()) {
      throw Error(ErrorKind::config, fmt::format("--list {}: must be RELEASE=FILE", word));
    }
    ReleasePlan& release = plan.release(std::string_view(word).substr(0, equals));
    if (std::find(replaced.begin(), replaced.end(), release.name) == replaced.end()) {
      replaced.push_back(release.name);
      release.lists.clear();
    }
    release.lists.emplace_back(word.substr(equals + 1));
  }
}

SplitPlan load_plan(const SplitCall& call) {
  const std::filesystem::path file = find_split_plan(call.plan);
  ConfigNode node = load_yaml(file);
  for (const std::string& setting : call.settings) {
    apply_setting(node, setting);
  }
  SplitPlan plan = read_split_plan(node, file.parent_path());
  put_lists(plan, call.lists);
  return plan;
}

SplitPlan kowl718_plan(const Kowl718Call& call) {
  SplitPlan plan = load_plan(call);
  plan.release("k400").lists = call.k400;
  plan.release("k600").lists = call.k600;
  plan.release("k700").lists = call.k700;
  plan.label_changes = call.label_changes;
  plan.blacklist = call.blacklist;
  plan.schedule = call.schedule.empty() ? plan.schedule : call.schedule;
  plan.test = call.test.empty() ? plan.test : call.test;
  plan.novel = call.novel.empty() ? plan.novel : call.novel;
  plan.seed = call.seed.value_or(plan.seed);
  plan.merge_case = plan.merge_case && !call.keep_case;
  for (ReleasePlan& release : plan.releases) {
    release.increments = call.increments == 0 ? release.increments : call.increments;
  }
  return plan;
}

void add_kowl718(CLI::App& split) {
  auto call = std::make_shared<Kowl718Call>();
  call->plan = kKowl718;
  CLI::App* kowl = split.add_subcommand(
      std::string(kKowl718),
      "Kinetics-400, -600 and -700 under one label set, from their annotation lists");
  const auto add_lists = [&](const std::string& name, auto& lists, const std::string& which) {
    kowl->add_option(name, lists,
                     "CSV (.gz) lists of " + which +
                         ": label, youtube_id, time_start, time_end, split; may be repeated")
        ->required();
  };
  add_lists("--k400", call->k400, "Kinetics-400");
  add_lists("--k600", call->k600, "Kinetics-600");
  add_lists("--k700", call->k700, "Kinetics-700-2020");
  kowl->add_option(
      "--label-changes", call->label_changes,
      "CSV of from_dataset, to_label: counts the classes that clips can carry up to each release");
  kowl->add_option("--blacklist", call->blacklist,
                   "lost files, a {youtube_id}_{start:06d}_{end:06d} per line");
  kowl->add_option("--schedule", call->schedule,
                   "text (standard): frequent classes first, floor; table: rare classes first, "
                   "ceil")
      ->check(CLI::IsMember({"text", "table"}));
  kowl->add_option("--test", call->test,
                   "union (standard): validate and test of k600 together (Table 1); separate "
                   "(Table 2)")
      ->check(CLI::IsMember({"union", "separate"}));
  kowl->add_option("--novel", call->novel,
                   "a class is novel until it was shown in any split (standard), or taught by "
                   "train, as Tables 1 and 2 count")
      ->check(CLI::IsMember({"shown", "taught"}));
  kowl->add_flag("--keep-case", call->keep_case,
                 "names that differ only in letter case stay two classes (719)");
  kowl->add_option("--increments", call->increments,
                   "increments per release after k400; standard 5")
      ->check(CLI::Range(1, 10000));
  kowl->add_option("--seed", call->seed, "seed of the folds; standard 0")
      ->check(CLI::NonNegativeNumber);
  kowl->add_option("--out", call->out, "folder to make; must not exist or be empty")->required();
  kowl->add_flag("--json", call->json, "answer as JSON");
  kowl->footer(
      "The rules are those of datasets/splits/kowl718.yaml, which a copy may change.\n\n"
      "Example:\n  tyto split kowl718 --k400 k400.csv.gz --k600 k600_train.csv k600_val.csv "
      "--k700 k700.csv.gz \\\n    --schedule table --out kowl718");
  kowl->callback([call] { split_as_planned(*call, kowl718_plan(*call)); });
}

std::string keys_text() {
  std::string lines = "Keys of the file (more in tyto explain split):\n";
  for (const OptionHelp& option : split_plan_options()) {
    lines += fmt::format("  {:<24} {}\n", option.key, option.help);
  }
  return lines;
}

}  // namespace

void add_split_command(CLI::App& app) {
  auto call = std::make_shared<SplitCall>();
  CLI::App* split = app.add_subcommand(
      "split", "Build the increments of a benchmark from the releases of a collection");
  split->require_subcommand(0, 1);
  split->add_option("plan", call->plan,
                    "YAML file that tells releases and rules, or the name of one that comes with "
                    "Tyto");
  split->add_option("--out", call->out, "folder to make; must not exist or be empty");
  split->add_option("--set", call->settings, "key=value, in place of the file's; may repeat")
      ->allow_extra_args(false);
  split
      ->add_option("--list", call->lists,
                   "RELEASE=FILE, in place of the lists the file names; may repeat")
      ->allow_extra_args(false);
  split->add_flag("--json", call->json, "answer as JSON");
  split->footer([] {  // looked up when asked for
    return keys_text() +
           "\nExamples:\n  tyto split mine.yaml --out mine\n"
           "  tyto split mine.yaml --set schedule=table --list k800=k800.csv.gz --out mine";
  });
  add_kowl718(*split);
  split->callback([call, split] {
    if (!split->get_subcommands().empty()) {
      return;
    }
    if (call->plan.empty()) {
      throw CLI::RequiredError("a YAML file, or kowl718,");
    }
    if (call->out.empty()) {
      throw CLI::RequiredError("--out");
    }
    split_as_planned(*call, load_plan(*call));
  });
}

}  // namespace tyto
