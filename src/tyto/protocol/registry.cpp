// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"

namespace tyto {

#define TYTO_PROTOCOL(name) ProtocolSpec name##_spec();
#include "builtin_protocols.inc"
#undef TYTO_PROTOCOL

std::span<const ProtocolSpec> protocol_specs() {
  static const std::vector<ProtocolSpec> specs{
#define TYTO_PROTOCOL(name) name##_spec(),
#include "builtin_protocols.inc"
#undef TYTO_PROTOCOL
  };
  return specs;
}

const ProtocolSpec& find_protocol(std::string_view name) {
  std::vector<std::string> names;
  for (const ProtocolSpec& spec : protocol_specs()) {
    if (spec.name == name) {
      return spec;
    }
    names.push_back(spec.name);
  }
  throw Error(ErrorKind::config, fmt::format("no protocol is called \"{}\"; there are: {}", name,
                                             fmt::join(names, ", ")));
}

}  // namespace tyto
