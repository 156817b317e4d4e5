// SPDX-License-Identifier: Apache-2.0
#include "tyto/protocol/registry.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"

namespace tyto {

#define TYTO_PROTOCOL(name) ProtocolSpec name##_spec();
#include "builtin_protocols.inc"
#undef TYTO_PROTOCOL

namespace {

std::vector<ProtocolSpec>& all_protocols() {
  static std::vector<ProtocolSpec> specs{
#define TYTO_PROTOCOL(name) name##_spec(),
#include "builtin_protocols.inc"
#undef TYTO_PROTOCOL
  };
  return specs;
}

}  // namespace

std::span<const ProtocolSpec> protocol_specs() {
  return all_protocols();
}

void add_protocol(ProtocolSpec spec) {
  std::vector<ProtocolSpec>& all = all_protocols();
  std::erase_if(all, [&](const ProtocolSpec& other) { return other.name == spec.name; });
  all.push_back(std::move(spec));
}

std::vector<Index> all_rows(const Split& split) {
  std::vector<Index> rows(static_cast<std::size_t>(split.samples.size()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

const ProtocolSpec& standard_protocol() {
  const auto specs = protocol_specs();
  const auto found = std::find_if(specs.begin(), specs.end(),
                                  [](const ProtocolSpec& spec) { return spec.is_standard; });
  TYTO_ASSERT(found != specs.end());
  return *found;
}

const ProtocolSpec& find_protocol(std::string_view name) {
  return find_named(protocol_specs(), "protocol", name);
}

}  // namespace tyto
