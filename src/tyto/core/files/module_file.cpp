// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/files/module_file.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

void* module_function(const std::filesystem::path& file, const char* name, std::string_view who) {
  if (!std::filesystem::exists(file)) {
    throw Error(ErrorKind::io,
                fmt::format("{}: not found; {} need this module of Tyto", file.string(), who));
  }
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be loaded: {}", file.string(), ::dlerror()));
  }
  void* function = ::dlsym(handle, name);
  if (function == nullptr) {
    throw Error(ErrorKind::io, fmt::format("{}: is not a module of Tyto", file.string()));
  }
  return function;
}

}  // namespace tyto
