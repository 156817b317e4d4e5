// SPDX-License-Identifier: Apache-2.0
// tyto cluster FEATURES --out labels.csv
#include <algorithm>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/cli/settings.hpp"
#include "tyto/cluster/clusterer.hpp"
#include "tyto/cluster/group_means.hpp"
#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/destination.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/engine/use/cluster_rows.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

struct ClusterCall {
  ClusterInput input;
  std::string method = "finch", metric;
  bool no_early_exit = false, binary_links = false, json = false;
  Index clusters = 0;
  std::vector<std::string> settings;
  std::filesystem::path out;
  std::uint64_t seed = 1;
  int threads = 0;
};

ConfigNode options_of(const ClusterCall& call, const ClustererSpec& spec) {
  ConfigNode options = ConfigNode::empty_map();
  const std::string owner = fmt::format("the method \"{}\"", spec.name);
  const auto set = [&](std::string_view setting) {
    apply_setting(options, setting, "--set", spec.options, owner);
  };
  if (!call.metric.empty()) {
    set("metric=" + call.metric);
  }
  if (call.no_early_exit) {
    set("early_exit=false");
  }
  if (call.binary_links) {
    set("binary_links=true");
  }
  for (const std::string& setting : call.settings) {
    set(setting);
  }
  return options;
}

struct NamedLevel {
  std::string name;
  const Grouping* groups;
  bool is_chosen;
};

// Levels keep their numbers whether or not a count was asked for; what was asked for comes last.
std::vector<NamedLevel> named_levels(const ClusterCall& call, const Partitions& found) {
  std::vector<NamedLevel> out;
  for (std::size_t level = 0; level < found.levels.size(); ++level) {
    if (call.clusters == 0 || level != found.chosen) {
      out.push_back({fmt::format("level_{}", out.size()), &found.levels[level],
                     call.clusters == 0 && level == found.chosen});
    }
  }
  if (call.clusters > 0) {
    out.push_back({fmt::format("clusters_{}", call.clusters), &found.levels[found.chosen], true});
  }
  return out;
}

std::string csv_of(const std::vector<NamedLevel>& levels, const std::vector<std::string>& id) {
  std::string text = id.empty() ? "" : "id";
  for (const NamedLevel& level : levels) {
    text += (text.empty() ? "" : ",") + level.name;
  }
  text += '\n';
  for (std::size_t i = 0; i < levels.front().groups->size(); ++i) {
    if (!id.empty()) {
      append_csv_field(text, id[i]);
      text += ',';
    }
    for (std::size_t l = 0; l < levels.size(); ++l) {
      fmt::format_to(std::back_inserter(text), "{}{}", l == 0 ? "" : ",", (*levels[l].groups)[i]);
    }
    text += '\n';
  }
  return text;
}

std::vector<Index> sizes_of(const Grouping& groups) {  // largest first
  std::vector<Index> sizes(static_cast<std::size_t>(group_count(groups)));
  for (const std::int32_t group : groups) {
    ++sizes[static_cast<std::size_t>(group)];
  }
  std::sort(sizes.rbegin(), sizes.rend());
  return sizes;
}

void print_json(std::FILE* to, const ClusterCall& call, const ClusterRows& data,
                const Partitions& found, const std::vector<NamedLevel>& levels) {
  Json out{{"features", call.input.features},
           {"method", call.method},
           {"rows", data.rows.rows()},
           {"columns", data.rows.cols()}};
  out["levels"] = Json::array();
  for (const NamedLevel& level : levels) {
    const std::vector<Index> sizes = sizes_of(*level.groups);
    out["levels"].push_back({{"name", level.name}, {"groups", sizes.size()}, {"sizes", sizes}});
    if (level.is_chosen) {
      out["chosen"] = level.name;
    }
  }
  out["notes"] = found.notes;
  out["out"] = call.out.string();
  fmt::print(to, "{}\n", out.dump(2));
}

void print_text(std::FILE* to, const ClusterCall& call, const ClusterRows& data,
                const Partitions& found, const std::vector<NamedLevel>& levels) {
  fmt::print(to, "{}: {} rows of {} numbers", call.input.features, data.rows.rows(),
             data.rows.cols());
  if (!data.labels.empty()) {
    fmt::print(to, ", {} classes known", data.classes);
  }
  TextTable table({"partition", "groups", "largest", "median", "smallest", "chosen"});
  for (const NamedLevel& level : levels) {
    const std::vector<Index> sizes = sizes_of(*level.groups);
    table.add({level.name, std::to_string(sizes.size()), std::to_string(sizes.front()),
               std::to_string(sizes[sizes.size() / 2]), std::to_string(sizes.back()),
               level.is_chosen ? "*" : ""});
  }
  fmt::print(to, "\n\n{}\n", table.text());
  for (const std::string& note : found.notes) {
    fmt::print(to, "{}", wrapped(note, 100, 0));
  }
  fmt::print(to, "the group of every row is in {}\n", call.out.string());
}

void cluster(const ClusterCall& call) {
  const ClustererSpec& spec = find_clusterer(call.method);
  const auto method = spec.make(options_of(call, spec), spec.name);  // before the work
  const ClusterRows data = read_cluster_rows(call.input);
  if (call.clusters > data.rows.rows()) {
    throw Error(ErrorKind::config, fmt::format("--clusters {}: {} has only {} rows", call.clusters,
                                               call.input.features, data.rows.rows()));
  }
  Progress progress(stderr);
  progress.begin(fmt::format("cluster {}", spec.name), 1.0);
  Work work{Rng(call.seed, "cluster"), progress};
  const Partitions found =
      method->cluster({.rows = data.rows, .labels = data.labels, .groups = call.clusters}, work);
  progress.end();
  const std::vector<NamedLevel> levels = named_levels(call, found);
  write_file(call.out, csv_of(levels, data.id));
  // Where the groups themselves are printed, a summary among them would be in the way.
  std::FILE* summary = is_standard_output(call.out) ? stderr : stdout;
  if (call.json) {
    print_json(summary, call, data, found, levels);
  } else {
    print_text(summary, call, data, found, levels);
  }
}

std::string methods_text() {
  std::string text = "Methods and their options for --set:\n";
  for (const ClustererSpec& spec : clusterer_specs()) {
    text += fmt::format("  {:<16} {}\n", spec.name, spec.summary);
    for (const OptionHelp& option : spec.options) {
      text += fmt::format("    {}={}: {}\n", option.key, option.standard, option.help);
    }
  }
  return text;
}

}  // namespace

void add_cluster_command(CLI::App& app) {
  auto call = std::make_shared<ClusterCall>();
  CLI::App* command = app.add_subcommand("cluster", "Group like rows of numbers");
  command
      ->add_option("features", call->input.features,
                   "A .npy or .csv file (.gz too, with or without names of columns), or a dataset "
                   "by name or folder")
      ->required();
  command->add_option("--method", call->method, "How; see below")->capture_default_str();
  command->add_option("--metric", call->metric, "Distance, such as cosine or euclidean");
  command->add_flag("--no-early-exit", call->no_early_exit, "Link on past the longest first link");
  command->add_flag("--binary-links", call->binary_links,
                    "Mutual neighbours weigh 1 in the early exit, not 2");
  command->add_option("--clusters", call->clusters, "As many groups (standard: the method decides)")
      ->check(CLI::Range(Index{1}, Index{1} << 31));
  command->add_option("--labels", call->input.labels,
                      "Known classes, one a line, blank where unknown: they choose the level");
  command->add_option("--labels-column", call->input.labels_column,
                      "Column of --labels, else of the features, that holds the classes");
  command->add_option("--id-column", call->input.id_column,
                      "Column that names the rows: no feature, and written with the groups");
  command
      ->add_option("--ignore", call->input.ignore,
                   "Columns that are no features: --ignore a b, or a,b")
      ->delimiter(',');
  command->add_option("--source", call->input.source, "Source of a dataset")->capture_default_str();
  command->add_option("--data", call->input.places, "Folder with datasets; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--set", call->settings, "option=value of the method; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--seed", call->seed, "Of methods that draw")->capture_default_str();
  command->add_option("--threads", call->threads, "Threads")->check(CLI::Range(1, 1024));
  command
      ->add_option("--out", call->out,
                   "CSV to write: ids where there are some, a column per partition, finest first")
      ->required();
  command->add_flag("--json", call->json, "Answer as JSON");
  command->footer([] {
    return "Example: tyto cluster features.npy --metric cosine --out labels.csv\n"
           "         tyto cluster points.csv --labels-column class --metric euclidean --clusters 6 "
           "--out labels.csv\n\n" +
           methods_text();
  });
  command->callback([call] {
    if (call->threads > 0) {
      set_thread_count(call->threads);
    }
    Progress::catch_interrupts();
    cluster(*call);
  });
}

}  // namespace tyto
