// SPDX-License-Identifier: Apache-2.0
// The parts by name. A part is one file that defines `PartSpec <name>_spec()` and one line in
// parts/CMakeLists.txt; it then appears in `tyto list`, `tyto explain` and the conformance suite.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/parts/slots.hpp"

namespace tyto {

enum class Slot {
  representation,
  classifier,
  calibrator,
  detector,
  recogniser,
  alarm,
  feedback,
  memory
};

constexpr Slot kSlots[] = {Slot::representation, Slot::classifier, Slot::calibrator, Slot::detector,
                           Slot::recogniser,     Slot::alarm,      Slot::feedback,   Slot::memory};

std::string_view slot_name(Slot slot);

struct PartSpec {
  std::string name, summary;
  std::string paper;  // where it comes from
  std::string cost;   // time and memory, in the symbols n, d, k (classes), m (remembered)
  std::vector<Slot> slots;
  std::vector<OptionHelp> options;  // made without loading any module
  // `path` is the dotted name of the node, for messages. May load a module (mlp).
  std::function<std::unique_ptr<Part>(const ConfigNode& options, std::string_view path)> make;
  // The options with defaults filled in, checked; loads no module.
  std::function<ConfigNode(const ConfigNode& options, std::string_view path)> resolve;
  std::string objective;  // what a classifier minimises, its regret
};

// A part whose constructor takes its options struct.
template <class Options, class Made>
PartSpec part_spec(std::string name, std::vector<Slot> slots, std::string summary, std::string cost,
                   std::string paper = "", std::string objective = "") {
  PartSpec spec{std::move(name),
                std::move(summary),
                std::move(paper),
                std::move(cost),
                std::move(slots),
                {},
                {},
                {},
                std::move(objective)};
  Options standard;
  spec.options = explain_options([&](OptionVisitor& visitor) { standard.describe(visitor); });
  spec.make = [](const ConfigNode& node, std::string_view path) -> std::unique_ptr<Part> {
    return std::make_unique<Made>(read_options<Options>(node, path));
  };
  spec.resolve = [](const ConfigNode& node, std::string_view path) {
    auto options = read_options<Options>(node, path);
    return write_options([&](OptionVisitor& visitor) { options.describe(visitor); });
  };
  return spec;
}

struct NoOptions {
  void describe(OptionVisitor&) {}
};

std::span<const PartSpec> part_specs();  // by slot, then name

// Throws Error(config) naming the slot's parts and the likeliest spelling.
const PartSpec& find_part(Slot slot, std::string_view name);

}  // namespace tyto
