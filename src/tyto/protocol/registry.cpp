// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"

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
  return find_named(protocol_specs(), "protocol", name);
}

}  // namespace tyto
