// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/module.hpp"

#include "tyto/core/files/locations.hpp"
#include "tyto/core/files/module_file.hpp"

namespace tyto {

const NnModule& open_nn_module(const std::filesystem::path& file) {
  using Factory = const NnModule* (*)();
  return *reinterpret_cast<Factory>(module_function(file, "tyto_nn_module", "networks"))();
}

const NnModule& nn_module() {
  static const NnModule& module = []() -> const NnModule& {
    return open_nn_module(library_folder() / "libtyto_nn.so");
  }();
  return module;
}

}  // namespace tyto
