// SPDX-License-Identifier: Apache-2.0
// tyto runs: the runs in a folder, with their headline.
#include <iostream>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/core/error.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

std::vector<std::string> header_of(std::string_view protocol) {
  std::vector<std::string> header{"run", "seed", "predictor", "feedback"};
  for (const HeadlineColumn& column : find_protocol(protocol).headline) {
    header.push_back(column.title);
  }
  return header;
}

void runs(const std::string& root, bool json) {
  const auto folders = find_runs(root);
  if (json) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const auto& folder : folders) {
      const RunInfo info = read_run_info(folder / "run.json");
      nlohmann::ordered_json arms = nlohmann::ordered_json::array();
      for (const RunInfo::Outcome& arm : info.arms) {
        nlohmann::ordered_json numbers = nlohmann::ordered_json::object();
        for (const auto& [name, value] : arm.headline) {
          numbers[name] = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
        }
        arms.push_back({{"arm", arm.arm}, {"headline", numbers}});
      }
      out.push_back({{"folder", folder.string()},
                     {"name", info.name},
                     {"seed", info.seed},
                     {"seeds", info.seeds},
                     {"done", info.done},
                     {"arms", arms}});
    }
    std::cout << out.dump(2) << "\n";
    return;
  }
  if (folders.empty()) {
    std::cout << fmt::format("no runs in {}; start with: tyto run experiments/quickstart.yaml\n",
                             root);
    return;
  }
  std::map<std::string, TextTable> tables;  // by protocol, whose headlines differ
  std::string unreadable;
  for (const auto& folder : folders) {
    RunInfo info;
    TextTable* found = nullptr;
    try {
      info = read_run_info(folder / "run.json");
      found = &tables.try_emplace(info.protocol, header_of(info.protocol)).first->second;
    } catch (const Error& problem) {
      unreadable += fmt::format("{} is unreadable: {}\n", folder.string(), problem.what());
      continue;
    }
    TextTable& table = *found;
    if (!info.done) {
      table.add({folder.string(), seed_text(info), "not finished; --resume continues it"});
    }
    bool first = true;
    for (const RunInfo::Outcome& arm : info.arms) {
      std::vector<std::string> row{first ? folder.string() : "", first ? seed_text(info) : "",
                                   arm.predictor, arm.feedback};
      first = false;
      for (const HeadlineColumn& column : find_protocol(info.protocol).headline) {
        const std::optional<double> value = arm.number(column.name);
        row.push_back(value ? fmt::format("{:.3f}", *value) : "-");
      }
      table.add(std::move(row));
    }
  }
  for (const auto& [protocol, table] : tables) {
    std::cout << table.text(4) << (tables.size() > 1 ? "\n" : "");
  }
  std::cout << unreadable;
}

}  // namespace

void add_runs_command(CLI::App& app) {
  struct RunsArguments {
    std::string root = "runs";
    bool json = false;
  };

  auto given = std::make_shared<RunsArguments>();
  CLI::App* command = app.add_subcommand("runs", "List runs with their headline");
  command->add_option("folder", given->root, "Folder that holds the runs (default: runs)");
  command->add_flag("--json", given->json, "For programs");
  command->footer("Example: tyto runs");
  add_runs_diff(*command);
  command->callback([given, command] {
    if (command->get_subcommands().empty()) {  // else that word has answered
      runs(given->root, given->json);
    }
  });
}

}  // namespace tyto
