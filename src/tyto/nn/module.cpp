// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/locations.hpp"

namespace tyto {

const NnModule& open_nn_module(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) {
    throw Error(ErrorKind::io,
                fmt::format("{}: not found; networks need this module of Tyto", file.string()));
  }
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(ErrorKind::io, fmt::format("{}: cannot be loaded: {}", file.string(), ::dlerror()));
  }
  using Factory = const NnModule* (*)();
  const auto factory = reinterpret_cast<Factory>(::dlsym(handle, "tyto_nn_module"));
  if (factory == nullptr) {
    throw Error(ErrorKind::io, fmt::format("{}: is not a module of Tyto", file.string()));
  }
  return *factory();
}

const NnModule& nn_module() {
  static const NnModule& module = []() -> const NnModule& {
    return open_nn_module(library_folder() / "libtyto_nn.so");
  }();
  return module;
}

}  // namespace tyto
