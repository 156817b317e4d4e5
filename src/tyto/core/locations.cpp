// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/locations.hpp"

#include <dlfcn.h>

namespace tyto {

std::filesystem::path library_folder() {
  Dl_info about{};
  ::dladdr(reinterpret_cast<void*>(&library_folder), &about);
  return std::filesystem::absolute(about.dli_fname).parent_path();
}

std::vector<std::filesystem::path> shared_folders(std::string_view name) {
  std::vector<std::filesystem::path> folders;
  for (const auto& root : {std::filesystem::path("."), library_folder() / "../share/tyto",
                           std::filesystem::path(TYTO_SOURCE_DIR)}) {
    std::error_code ignored;
    if (std::filesystem::is_directory(root / name, ignored)) {
      folders.push_back(root / name);
    }
  }
  return folders;
}

}  // namespace tyto
