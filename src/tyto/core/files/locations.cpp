// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/locations.hpp"

#include <algorithm>

#include <dlfcn.h>

namespace tyto {

std::filesystem::path library_folder() {
  Dl_info about{};
  ::dladdr(reinterpret_cast<void*>(&library_folder), &about);
  return std::filesystem::absolute(about.dli_fname).parent_path();
}

std::vector<std::filesystem::path> shared_folders(std::string_view name) {
  std::vector<std::filesystem::path> folders;
  const auto library = library_folder();  // lib/ or lib/<triplet>/
  for (const auto& root : {std::filesystem::path("."), library / "../share/tyto",
                           library / "../../share/tyto", std::filesystem::path(TYTO_SOURCE_DIR)}) {
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
