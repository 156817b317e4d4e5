// SPDX-License-Identifier: Apache-2.0
// The parts by name. A part is one file that defines `PartSpec <name>_spec()` and one line in
// parts/CMakeLists.txt; it then appears in `tyto list`, `tyto explain` and the conformance suite.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/described.hpp"
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

struct PartSpec : Described<Part> {  // `make` may load a module (mlp)
  std::vector<Slot> slots = {};
  std::string objective = "";  // what a classifier minimises, its regret
};

// A part whose constructor takes its options struct.
template <class Options, class Made>
PartSpec part_spec(std::string name, std::vector<Slot> slots, std::string summary, std::string cost,
                   std::string paper = "", std::string objective = "") {
  PartSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.paper = std::move(paper);
  spec.cost = std::move(cost);
  spec.slots = std::move(slots);
  spec.objective = std::move(objective);
  describe_made<Options, Made>(spec);
  return spec;
}

std::span<const PartSpec> part_specs();  // by slot, then name

// Throws Error(config) naming the slot's parts and the likeliest spelling.
const PartSpec& find_part(Slot slot, std::string_view name);

// Names of the classifiers that can do this with their default options.
std::vector<std::string> classifiers_that(bool (Classifier::*can)() const);

}  // namespace tyto

// Example:
//
//   const PartSpec& knn = find_part(Slot::detector, "knn");
//   const std::unique_ptr<Part> part = knn.make(parse_yaml("k: 3", "here"), "detector");
