// SPDX-License-Identifier: Apache-2.0
// Parts named inside the options of another part: `then: margin` or `then: {name: badge, ...}`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/parts/registry.hpp"

namespace tyto {

// `node` is a name or {name: ..., options}; the same comes back with every option spelled out. Keys
// in `aside` belong to whoever nests the part and stay as they are. An Error names place and path.
ConfigNode resolved_nested(Slot slot, const ConfigNode& node, std::string_view path,
                           const std::vector<std::string_view>& aside = {});

// Of a resolved node.
std::unique_ptr<Part> make_nested(Slot slot, const ConfigNode& node, std::string_view path,
                                  const std::vector<std::string_view>& aside = {});

// The same of a list with at least one part; they are called "path.0", "path.1".
ConfigNode resolved_nested_list(Slot slot, const ConfigNode& list, std::string_view path,
                                const std::vector<std::string_view>& aside = {});

// A part and what it is in the slot it was made for.
template <class Kind>
struct Nested {
  explicit Nested(std::unique_ptr<Part> made)
      : part(std::move(made)), as(dynamic_cast<Kind*>(part.get())) {
    TYTO_ASSERT(as != nullptr);
  }

  std::unique_ptr<Part> part;
  Kind* as;
};

// Of a resolved list.
template <class Kind>
std::vector<Nested<Kind>> make_nested_list(Slot slot, const ConfigNode& list, std::string_view path,
                                           const std::vector<std::string_view>& aside = {}) {
  std::vector<Nested<Kind>> parts;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    parts.emplace_back(make_nested(slot, list.items[i], fmt::format("{}.{}", path, i), aside));
  }
  return parts;
}

// What both need.
Needs joined_needs(const Needs& a, const Needs& b);

template <class Kind>
Needs joined_needs(const std::vector<Nested<Kind>>& parts) {
  Needs all;
  for (const Nested<Kind>& nested : parts) {
    all = joined_needs(all, nested.part->needs());
  }
  return all;
}

template <class Kind>
Holding joined_holding(const std::vector<Nested<Kind>>& parts) {
  Holding all;
  for (const Nested<Kind>& nested : parts) {
    const Holding own = nested.part->holding();
    all.samples += own.samples;
    all.frames += own.frames;
    all.bytes += own.bytes;
  }
  return all;
}

// For an Options struct that has `resolve_nested(path)`, which resolves the parts within it, and a
// part made from Options and path.
template <class Options, class Made>
PartSpec nesting_part_spec(std::string name, std::vector<Slot> slots, std::string summary,
                           std::string cost, std::string paper = "") {
  PartSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.paper = std::move(paper);
  spec.cost = std::move(cost);
  spec.slots = std::move(slots);
  const auto read = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<Options>(node, path);
    options.resolve_nested(path);
    return options;
  };
  describe_options<Options>(spec, read);
  spec.make = [read](const ConfigNode& node, std::string_view path) -> std::unique_ptr<Part> {
    return std::make_unique<Made>(read(node, path), path);
  };
  return spec;
}

}  // namespace tyto
