// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/import.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/build_info.hpp"
#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/data/dataset_file.hpp"

namespace tyto {

namespace {

void expect_no_options(const ImportSpec& spec, const ConfigNode& options) {
  if (spec.options.empty() && !options.pairs.empty()) {
    throw Error(ErrorKind::config, fmt::format("{} has no options, but \"{}\" was given", spec.name,
                                               options.pairs.front().key));
  }
}

IndexTable list_of(const ImportSpec& spec, const std::filesystem::path& folder,
                   const ConfigNode& options, std::vector<std::string>* notes) {
  std::vector<std::string> unheard;
  return spec.list_with ? spec.list_with(folder, options, notes == nullptr ? unheard : *notes)
                        : spec.list(folder);
}

}  // namespace

Dataset import_dataset(std::string_view importer, const std::filesystem::path& folder,
                       std::string_view variant, const ConfigNode& options) {
  const ImportSpec& spec = find_importer(importer);
  expect_no_options(spec, options);
  if (variant.empty() && !spec.variants.empty()) {
    variant = spec.variants.front();
  }
  if (!variant.empty() &&
      std::find(spec.variants.begin(), spec.variants.end(), variant) == spec.variants.end()) {
    throw Error(ErrorKind::config,
                spec.variants.empty()
                    ? fmt::format("{} has no variants, but \"{}\" was asked for", importer, variant)
                    : fmt::format("{} has no variant \"{}\"; there are: {}", importer, variant,
                                  fmt::join(spec.variants, ", ")));
  }
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::io, fmt::format("{}: not a folder", folder.string()));
  }
  Dataset dataset =
      spec.read_with ? spec.read_with(folder, variant, options) : spec.read(folder, variant);
  dataset.about.emplace(
      "importer", fmt::format("{}{}{}, tyto {}", importer, variant.empty() ? "" : " ", variant,
                              build_info().version));
  expect_rows_match(dataset, folder.string());
  return dataset;
}

std::string list_csv(std::string_view importer, const std::filesystem::path& folder,
                     const ConfigNode& options, std::vector<std::string>* notes) {
  const ImportSpec& spec = find_importer(importer);
  expect_no_options(spec, options);
  if (!spec.list && !spec.list_with) {
    std::vector<std::string> with_list;
    for (const ImportSpec& other : import_specs()) {
      if (other.list || other.list_with) {
        with_list.push_back(other.name);
      }
    }
    throw Error(ErrorKind::config, fmt::format("{} has no list of videos; those that do: {}",
                                               importer, fmt::join(with_list, ", ")));
  }
  if (!std::filesystem::is_directory(folder)) {
    throw Error(ErrorKind::io, fmt::format("{}: not a folder", folder.string()));
  }
  const IndexTable table = list_of(spec, folder, options, notes);
  const bool has_parts = !table.start.empty();
  std::string csv = has_parts ? "id,video,start,end,label,group" : "id,video,label,group";
  csv += table.split.empty() ? "" : ",split";
  csv += table.time.empty() ? "" : ",time";
  for (const auto& [name, values] : table.annotations) {
    csv += ',' + csv_field(name);
  }
  csv += '\n';
  for (std::size_t i = 0; i < table.id.size(); ++i) {
    csv += csv_field(table.id[i]) + ',' + csv_field(table.source[i]);
    if (has_parts) {
      csv += fmt::format(",{},{}", table.start[i], table.end[i]);
    }
    csv += ',' + csv_field(table.label[i]) + ',' + csv_field(table.group[i]);
    csv += table.split.empty() ? "" : ',' + csv_field(table.split[i]);
    csv += table.time.empty() ? "" : fmt::format(",{}", table.time[i]);
    for (const auto& [name, values] : table.annotations) {
      csv += ',' + csv_field(values[i]);
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace tyto
