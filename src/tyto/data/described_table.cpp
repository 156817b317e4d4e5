// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/described_table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/config.hpp"
#include "tyto/core/error.hpp"
#include "tyto/data/dataset_file.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

constexpr Index kRunOfColumns = 3;  // so many or more are written as first..last

// A word as YAML reads it back, in quotes where need be.
std::string yaml_word(const std::string& word) {
  constexpr std::array<std::string_view, 10> kOther{"true", "false", "yes", "no",   "null",
                                                    "on",   "off",   "y",   "none", "n"};
  const bool plain = !word.empty() &&
                     word.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_.-") == word.npos &&
                     std::isalpha(static_cast<unsigned char>(word.front())) != 0;
  std::string lower = word;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (plain && std::find(kOther.begin(), kOther.end(), lower) == kOther.end()) {
    return word;
  }
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string word_list(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  std::transform(words.begin(), words.end(), std::back_inserter(out), yaml_word);
  return fmt::format("[{}]", fmt::join(out, ", "));
}

// Neighbours in the table as runs, `a..b`.
std::vector<std::string> runs_of(const CsvTable& csv, const std::vector<std::string>& columns) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < columns.size();) {
    std::size_t end = begin + 1;
    while (end < columns.size() && csv.column(columns[end]) == csv.column(columns[end - 1]) + 1) {
      ++end;
    }
    const std::string run = columns[begin] + ".." + columns[end - 1];
    const bool ambiguous = csv.find(run) || columns[begin].find("..") != std::string::npos ||
                           columns[end - 1].find("..") != std::string::npos;
    if (static_cast<Index>(end - begin) >= kRunOfColumns && !ambiguous) {
      out.push_back(run);
    } else {
      out.insert(out.end(), columns.begin() + static_cast<Index>(begin),
                 columns.begin() + static_cast<Index>(end));
    }
    begin = end;
  }
  return out;
}

}  // namespace

bool is_table(const fs::path& path) {
  std::string name = path.filename().string();
  if (name.ends_with(".gz")) {
    name.resize(name.size() - 3);
  }
  return name.ends_with(".csv") || name.ends_with(".tsv") || name.ends_with(".txt");
}

std::string descriptor_text(const CsvTable& csv, const TableRoles& roles, const std::string& name,
                            const std::string& index) {
  std::string text =
      "# A dataset: what the columns of a table are. `tyto data show` tells what it holds.\n";
  text += fmt::format("name: {}\n", yaml_word(name));
  text += "summary: \"\"            # one line for lists\n";
  text += "# about: {origin: ..., licence: ..., citation: ...}\n";
  text += fmt::format("index: {}     # a row per sample\n", yaml_word(index));
  text += "columns:               # what the table calls them; those that it lacks are left out\n";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kRoles{
      {{"id", "a name of its own for every sample; else rows are numbered"},
       {"label", "classes; an empty cell: unlabelled"},
       {"group", "samples that belong together, never on both sides of a split: subject, video"},
       {"split", "train, validate or test"},
       {"time", "in any unit"}}};
  for (const auto& [role, what] : kRoles) {
    const auto found = roles.column.find(std::string(role));
    text += found == roles.column.end()
                ? fmt::format("  # {}: ...  # {}\n", role, what)
                : fmt::format("  {}: {}  # {}\n", role, yaml_word(found->second), what);
  }
  if (roles.column.empty()) {
    text.replace(text.find("columns:"), 8, "columns: {}");
  }
  if (!roles.ignored.empty()) {
    text += fmt::format("ignore: {}  # columns that are none of this\n", word_list(roles.ignored));
  }
  text += fmt::format("features:              # {} columns; a..b is a run of neighbours\n",
                      roles.features.size());
  text += fmt::format("  - {{source: features, columns: {}}}\n",
                      word_list(runs_of(csv, roles.features)));
  if (!roles.kept.empty()) {
    text +=
        fmt::format("# Kept beside the samples, as annotations: {}\n", fmt::join(roles.kept, ", "));
  }
  for (const std::string& reason : roles.reasons) {
    text += fmt::format("# {}\n", reason);
  }
  return text;
}

fs::path descriptor_of(const fs::path& table) {
  const fs::path file = table.parent_path() / kDescriptorName;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    return {};
  }
  const ConfigNode root = load_yaml(file);
  const ConfigNode* index = root.find("index");
  return index != nullptr && index->text == table.filename().string() ? file : fs::path();
}

std::string plain_descriptor(const fs::path& table) {
  const CsvTable csv = CsvTable::load(table);
  const TableRoles roles = find_roles(csv);
  if (!roles.doubts.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: {}; `tyto data init {}` writes a dataset.yaml that says what the "
                            "columns are, to be looked over",
                            table.string(), fmt::join(roles.doubts, "; "), table.string()));
  }
  std::string name = table.filename().string();
  name.resize(std::min(name.find('.'), name.size()));
  return descriptor_text(csv, roles, name.empty() ? "table" : name, table.filename().string());
}

OtherColumns other_columns(const Dataset& dataset, const std::vector<std::string>& features) {
  OtherColumns out;
  const std::vector<std::string>& files = dataset.files.names;
  const auto table = std::find_if(files.begin(), files.end(), is_table);
  if (table == files.end()) {
    return out;
  }
  const CsvTable csv = CsvTable::load(dataset.files.folder / *table);
  for (const std::string& name : csv.columns()) {
    if (std::find(features.begin(), features.end(), name) == features.end()) {
      out.names.push_back(name);
    }
  }
  if (table == files.begin()) {  // without a descriptor
    const TableRoles roles = find_roles(csv);
    out.id = roles.column.contains("id") ? roles.column.at("id") : "";
    return out;
  }
  const ConfigNode root = load_yaml(dataset.files.folder / files.front());
  const ConfigNode* columns = root.find("columns");
  const ConfigNode* id = columns == nullptr ? nullptr : columns->find("id");
  out.id = id != nullptr ? id->text : csv.find("id") ? "id" : "";
  return out;
}

}  // namespace tyto
