// SPDX-License-Identifier: Apache-2.0
// What is registered by name and chosen in YAML: parts, calibrators, clusterers, worlds, protocols.
// One description for all of them, so that `tyto list` and `tyto explain` need to know no kind.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tyto/core/options.hpp"

namespace tyto {

struct Description {
  std::string name, summary;
  std::string paper = "";  // where it comes from
  std::string cost = "";   // time and memory, in the symbols n, d, k (classes), m (remembered)
  std::vector<OptionHelp> options = {};  // told without loading any module
  // The options with defaults filled in, checked; loads no module. `path` is the dotted name of the
  // node, for messages.
  std::function<ConfigNode(const ConfigNode& options, std::string_view path)> resolve = {};
};

struct NoOptions {
  void describe(OptionVisitor&) {}
};

// Options read from a node, defaults filled in.
template <class Options>
ConfigNode resolved_options(Options options) {
  return write_options([&](OptionVisitor& visitor) { options.describe(visitor); });
}

// The help and the check of an options struct. `read` makes one of a node, where reading takes
// more than the fields.
template <class Options, class Read>
void describe_options(Description& description, Read read) {
  Options standard;
  description.options =
      explain_options([&](OptionVisitor& visitor) { standard.describe(visitor); });
  description.resolve = [read](const ConfigNode& node, std::string_view path) {
    return resolved_options<Options>(read(node, path));
  };
}

template <class Options>
void describe_options(Description& description) {
  describe_options<Options>(description, [](const ConfigNode& node, std::string_view path) {
    return read_options<Options>(node, path);
  });
}

// With a maker of what it describes, which may load a module.
template <class Base>
struct Described : Description {
  std::function<std::unique_ptr<Base>(const ConfigNode& options, std::string_view path)> make = {};
};

// Something whose constructor takes its options struct.
template <class Options, class Made, class Base>
void describe_made(Described<Base>& description) {
  describe_options<Options>(description);
  description.make = [](const ConfigNode& node, std::string_view path) -> std::unique_ptr<Base> {
    return std::make_unique<Made>(read_options<Options>(node, path));
  };
}

}  // namespace tyto
