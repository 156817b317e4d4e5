// SPDX-License-Identifier: Apache-2.0
#include "tyto/client/transport.hpp"

#include "tyto/core/files/locations.hpp"
#include "tyto/core/files/module_file.hpp"

namespace tyto::client {

const ClientModule& client_module() {
  static const ClientModule& module = []() -> const ClientModule& {
    using Factory = const ClientModule* (*)();
    return *reinterpret_cast<Factory>(module_function(
        library_folder() / "libtyto_client.so", "tyto_client_module", "remote evaluations"))();
  }();
  return module;
}

}  // namespace tyto::client
