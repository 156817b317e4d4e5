// SPDX-License-Identifier: Apache-2.0
// The protocols by name. A protocol is one file that defines `ProtocolSpec <name>_spec()` and one
// line in protocol/CMakeLists.txt.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/described.hpp"
#include "tyto/protocol/protocol.hpp"
#include "tyto/record/headline_columns.hpp"
#include "tyto/record/phase_order.hpp"

namespace tyto {

struct ProtocolSpec : Described<Protocol> {
  bool is_standard = false;          // of an experiment that names none
  bool asks_for_labels = true;       // within a budget; else arms differ by their predictor alone
  Index predictions_per_step = 1;    // of each sample, after the first step: to tell the time left
  bool is_about_confidence = false;  // reliability.csv tells it by frequent and rare classes
  std::vector<HeadlineColumn> headline = {};  // what the final table of a run shows
  PhaseOrder order = {};                      // in which its record is read
  bool whole_splits = false;  // it evaluates each split as the world shows it, no part of it
  bool starts_later = false;  // a predictor that has learned elsewhere may begin at a later step
};

template <class Options, class Made>
ProtocolSpec protocol_spec(std::string name, std::string summary, std::string paper) {
  ProtocolSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.paper = std::move(paper);
  describe_made<Options, Made>(spec);
  return spec;
}

std::span<const ProtocolSpec> protocol_specs();

// One that a user of the library brings along; replaces one of that name. Before anything else
// uses the protocols: not thread safe.
void add_protocol(ProtocolSpec spec);
const ProtocolSpec& find_protocol(std::string_view name);
const ProtocolSpec& standard_protocol();

}  // namespace tyto

// Example:
//
//   const std::unique_ptr<Protocol> owl = find_protocol("owl").make({}, "protocol");
