// SPDX-License-Identifier: Apache-2.0
// tyto data init TABLE: a dataset.yaml that says what the columns of a table are.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/cli/commands.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/described_table.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

struct DataInitCall {
  std::string table, name;
  AskedRoles asked;
  fs::path out;
  bool force = false;
};

std::string class_counts(const CsvTable& csv, const std::string& column) {
  std::map<std::string, Index> count;
  Index without = 0;
  for (const std::string& label : csv.texts(csv.column(column))) {
    label.empty() ? ++without : ++count[label];
  }
  const auto [least, most] = std::minmax_element(
      count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string text = fmt::format("{} class{}", count.size(), count.size() == 1 ? "" : "es");
  if (count.size() > 1) {
    text += fmt::format(" of {} ({}) to {} ({}) samples", least->second, least->first, most->second,
                        most->first);
  }
  return text + (without > 0 ? fmt::format(", {} rows without", without) : "");
}

std::string run_text(const std::vector<std::string>& columns) {
  return columns.size() <= 4
             ? fmt::format("{}", fmt::join(columns, ", "))
             : fmt::format("{}, {}, ..., {}", columns[0], columns[1], columns.back());
}

void print_roles(const CsvTable& csv, const TableRoles& roles) {
  fmt::print("{}: {} rows, {} columns\n", csv.name(), csv.rows(), csv.columns().size());
  for (const char* role : {"id", "label", "group", "split", "time"}) {
    const auto found = roles.column.find(role);
    if (found != roles.column.end()) {
      fmt::print("  {:<9} {}{}\n", role, found->second,
                 found->first == "label" ? ": " + class_counts(csv, found->second) : "");
    }
  }
  fmt::print("  {:<9} {}: {}\n", "features", roles.features.size(), run_text(roles.features));
  if (!roles.kept.empty()) {
    fmt::print("  {:<9} {}\n", "kept", run_text(roles.kept));
  }
  if (!roles.ignored.empty()) {
    fmt::print("  {:<9} {}\n", "ignored", run_text(roles.ignored));
  }
  for (const std::string& reason : roles.reasons) {
    fmt::print("{}", wrapped(reason, 100, 0));
  }
}

void describe_table(const DataInitCall& call) {
  const fs::path table(call.table);
  std::error_code ignored;
  if (!fs::is_regular_file(table, ignored)) {
    throw Error(ErrorKind::config,
                fs::is_directory(table, ignored)
                    ? fmt::format("{}: is a folder; name the table in it", call.table)
                    : fmt::format("{}: there is no such file", call.table));
  }
  const fs::path out = call.out.empty()                      ? table.parent_path() / kDescriptorName
                       : fs::is_directory(call.out, ignored) ? call.out / kDescriptorName
                                                             : call.out;
  if (out.extension() != ".yaml") {
    throw Error(ErrorKind::config,
                fmt::format("--out {}: a descriptor's name ends in .yaml", out.string()));
  }
  if (fs::exists(out, ignored) && !call.force) {
    throw Error(ErrorKind::config,
                fmt::format("{}: is there already; --force replaces it, --out names another",
                            out.string()));
  }
  const CsvTable csv = CsvTable::load(table);
  const TableRoles roles = find_roles(csv, call.asked);
  const fs::path folder = fs::absolute(out).parent_path();
  const std::string index =
      fs::absolute(table).lexically_normal().lexically_relative(folder.lexically_normal()).string();
  std::string name = call.name;
  if (name.empty()) {
    name = table.filename().string();
    name.resize(std::min(name.find('.'), name.size()));
  }
  if (!out.parent_path().empty()) {
    make_folder(out.parent_path());
  }
  write_file(out, descriptor_text(csv, roles, name, index));
  print_roles(csv, roles);
  const std::string path = out.filename() == kDescriptorName && !out.parent_path().empty()
                               ? out.parent_path().string()
                           : out.filename() == kDescriptorName ? "."
                                                               : out.string();
  fmt::print("\nwritten to {}, to be looked over. Then:\n", out.string());
  fmt::print("  tyto data show {0}\n  tyto data audit {0}\n  tyto learn {0} --out model.npz\n",
             path);
}

}  // namespace

void add_data_init(CLI::App& data) {
  auto call = std::make_shared<DataInitCall>();
  CLI::App* word =
      data.add_subcommand("init", "describe a table of your own: write its dataset.yaml");
  word->add_option("table", call->table,
                   "CSV with names of columns; commas, semicolons or tabs; .gz too")
      ->required();
  word->add_option("--out", call->out,
                   "descriptor to write; standard: dataset.yaml beside the table");
  word->add_option("--name", call->name, "of the dataset; standard: that of the table");
  word->add_option("--id", call->asked.id, "column that names the samples; standard: found");
  word->add_option("--label", call->asked.label, "column of the classes; standard: found");
  word->add_option("--group", call->asked.group,
                   "column of what belongs together (subject, video); standard: found");
  word->add_option("--split", call->asked.split, "column that says train or test; standard: found");
  word->add_option("--ignore", call->asked.ignore,
                   "columns that are no features, nor anything else")
      ->delimiter(',');
  word->add_flag("--force", call->force, "replace a descriptor that is there");
  word->footer(
      "Example:\n  tyto data init trees.csv\n"
      "  tyto data init trees.csv --label species --ignore plot_x plot_y");
  word->callback([call] { describe_table(*call); });
}

}  // namespace tyto
