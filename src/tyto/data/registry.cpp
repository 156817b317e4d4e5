// SPDX-License-Identifier: Apache-2.0
// The importers by name: those with code in importers/, and the layouts that a descriptor tells.
#include <algorithm>
#include <set>

#include "tyto/core/files/locations.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/import.hpp"
#include "tyto/data/importers/pieces.hpp"

namespace tyto {

#define TYTO_IMPORTER(name) ImportSpec name##_import();
#include "builtin_importers.inc"
#undef TYTO_IMPORTER

namespace {

std::vector<std::string> files_in(const ConfigNode& descriptor) {
  std::vector<std::string> files;
  if (const ConfigNode* index = descriptor.find("index")) {
    files.push_back(index->text);
  }
  if (const ConfigNode* features = descriptor.find("features")) {
    for (const ConfigNode& entry : features->items) {
      if (const ConfigNode* file = entry.find("file")) {
        files.push_back(file->text);
      }
    }
  }
  return files;
}

ImportSpec layout_import(const std::filesystem::path& descriptor) {
  const ConfigNode node = load_yaml(descriptor);
  const ConfigNode* summary = node.find("summary");
  ImportSpec spec{
      descriptor.stem().string(), summary == nullptr ? "" : summary->text, files_in(node), {}, {}};
  spec.read = [descriptor, files = spec.files](const std::filesystem::path& folder,
                                               std::string_view) {
    for (const std::string& file : files) {
      needed_file(folder, file);
    }
    return load_described(descriptor, folder);
  };
  return spec;
}

void add_layouts(std::vector<ImportSpec>& all) {
  std::set<std::string> known;
  for (const ImportSpec& spec : all) {
    known.insert(spec.name);
  }
  for (const auto& place : shared_folders("datasets/layouts")) {
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
      if (entry.path().extension() == ".yaml" && known.insert(entry.path().stem()).second) {
        all.push_back(layout_import(entry.path()));
      }
    }
  }
}

}  // namespace

std::span<const ImportSpec> import_specs() {
  static const std::vector<ImportSpec> specs = [] {
    std::vector<ImportSpec> all;
#define TYTO_IMPORTER(name) all.push_back(name##_import());
#include "builtin_importers.inc"
#undef TYTO_IMPORTER
    add_layouts(all);
    std::stable_sort(all.begin(), all.end(),
                     [](const ImportSpec& a, const ImportSpec& b) { return a.name < b.name; });
    return all;
  }();
  return specs;
}

const ImportSpec& find_importer(std::string_view name) {
  return find_named(import_specs(), "importer", name);
}

}  // namespace tyto
