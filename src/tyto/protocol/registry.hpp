// SPDX-License-Identifier: Apache-2.0
// The protocols by name. A protocol is one file that defines `ProtocolSpec <name>_spec()` and one
// line in protocol/CMakeLists.txt.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/protocol/protocol.hpp"
#include "tyto/record/headline_columns.hpp"
#include "tyto/record/phase_order.hpp"

namespace tyto {

struct ProtocolSpec {
  std::string name, summary, paper;
  std::vector<OptionHelp> options;
  std::function<std::unique_ptr<Protocol>(const ConfigNode& options, std::string_view path)> make;
  std::function<ConfigNode(const ConfigNode& options, std::string_view path)> resolve;
  bool asks_for_labels = true;       // within a budget; else arms differ by their predictor alone
  Index predictions_per_step = 1;    // of each sample, after the first step: to tell the time left
  bool is_about_confidence = false;  // reliability.csv tells it by frequent and rare classes
  std::vector<HeadlineColumn> headline = {};  // what the final table of a run shows
  PhaseOrder order = {};                      // in which its record is read
  bool whole_splits = false;  // it evaluates each split as the world shows it, no part of it
};

template <class Options, class Made>
ProtocolSpec protocol_spec(std::string name, std::string summary, std::string paper) {
  Options standard;
  return {std::move(name),
          std::move(summary),
          std::move(paper),
          explain_options([&](OptionVisitor& visitor) { standard.describe(visitor); }),
          [](const ConfigNode& node, std::string_view path) -> std::unique_ptr<Protocol> {
            return std::make_unique<Made>(read_options<Options>(node, path));
          },
          [](const ConfigNode& node, std::string_view path) {
            auto options = read_options<Options>(node, path);
            return write_options([&](OptionVisitor& visitor) { options.describe(visitor); });
          }};
}

std::span<const ProtocolSpec> protocol_specs();

// One that a user of the library brings along; replaces one of that name. Before anything else uses
// the protocols: not thread safe.
void add_protocol(ProtocolSpec spec);
const ProtocolSpec& find_protocol(std::string_view name);

}  // namespace tyto
