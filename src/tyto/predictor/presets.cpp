// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/presets.hpp"

#include <filesystem>
#include <map>

#include "tyto/core/files/locations.hpp"
#include "tyto/core/named.hpp"

namespace tyto {

namespace {

std::map<std::string, std::filesystem::path> preset_files() {
  std::map<std::string, std::filesystem::path> files;
  for (const auto& folder : shared_folders("presets")) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".yaml") {
        files.emplace(entry.path().stem().string(), entry.path());  // the first folder wins
      }
    }
  }
  return files;
}

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& [name, path] : preset_files()) {
    names.push_back(name);
  }
  return names;
}

ConfigNode load_preset(std::string_view name) {
  const auto files = preset_files();
  if (const auto found = files.find(std::string(name)); found != files.end()) {
    return load_yaml(found->second);
  }
  throw unknown_name("preset", name, preset_names());
}

}  // namespace tyto
