// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/locations.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include <dlfcn.h>

namespace tyto {

std::filesystem::path library_folder() {
  Dl_info about{};
  ::dladdr(reinterpret_cast<void*>(&library_folder), &about);
  return std::filesystem::absolute(about.dli_fname).parent_path();
}

namespace {

// Of the source tree, where this is a build tree; else nothing.
std::filesystem::path source_folder(const std::filesystem::path& library) {
  std::ifstream file(library / "tyto_source_folder");
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::vector<std::filesystem::path> shared_folders(std::string_view name) {
  std::vector<std::filesystem::path> folders;
  const auto library = library_folder();  // installed: lib/tyto/ or lib/<triplet>/tyto/
  for (const auto& root : {std::filesystem::path("."), library / "../../share/tyto",
                           library / "../../../share/tyto", source_folder(library)}) {
    if (root.empty()) {
      continue;
    }
    std::error_code ignored;
    const auto folder = (root / name).lexically_normal();
    const bool known = std::any_of(folders.begin(), folders.end(), [&](const auto& other) {
      return std::filesystem::equivalent(folder, other, ignored);
    });
    if (!known && std::filesystem::is_directory(folder, ignored)) {
      folders.push_back(folder);
    }
  }
  return folders;
}

}  // namespace tyto
