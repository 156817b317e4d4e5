// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/registry.hpp"

#include <algorithm>
#include <array>

#include "tyto/calibration/score_calibrator.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/parts/calibrator/score_calibration.hpp"

namespace tyto {

#define TYTO_PART(name) PartSpec name##_spec();
#include "builtin_parts.inc"
#undef TYTO_PART

std::string_view slot_name(Slot slot) {
  static constexpr std::array<std::string_view, 8> kNames{
      "representation", "classifier", "calibrator", "detector",
      "recogniser",     "alarm",      "feedback",   "memory"};
  return kNames.at(static_cast<std::size_t>(slot));
}

std::span<const PartSpec> part_specs() {
  static const std::vector<PartSpec> specs = [] {
    std::vector<PartSpec> all;
#define TYTO_PART(name) all.push_back(name##_spec());
#include "builtin_parts.inc"
#undef TYTO_PART
    for (const CalibratorSpec& method : calibrator_specs()) {
      all.push_back(score_calibration_spec(method));
    }
    std::stable_sort(all.begin(), all.end(), [](const PartSpec& a, const PartSpec& b) {
      return std::pair(a.slots.front(), a.name) < std::pair(b.slots.front(), b.name);
    });
    return all;
  }();
  return specs;
}

const PartSpec& find_part(Slot slot, std::string_view name) {
  std::vector<std::string> names;
  for (const PartSpec& spec : part_specs()) {
    if (std::find(spec.slots.begin(), spec.slots.end(), slot) == spec.slots.end()) {
      continue;
    }
    if (spec.name == name) {
      return spec;
    }
    names.push_back(spec.name);
  }
  throw unknown_name(slot_name(slot), name, names);
}

std::vector<std::string> classifiers_that(bool (Classifier::*can)() const) {
  std::vector<std::string> names;
  for (const PartSpec& spec : part_specs()) {
    if (std::find(spec.slots.begin(), spec.slots.end(), Slot::classifier) == spec.slots.end()) {
      continue;
    }
    const std::unique_ptr<Part> part = spec.make(ConfigNode::empty_map(), spec.name);
    const auto* classifier = dynamic_cast<const Classifier*>(part.get());
    TYTO_ASSERT(classifier != nullptr);
    if ((classifier->*can)()) {
      names.push_back(spec.name);
    }
  }
  return names;
}

}  // namespace tyto
