// SPDX-License-Identifier: Apache-2.0
// Options described once: the reader, the writer of the resolved file and `tyto explain` all visit
// the same description, and no other code names a key.
// Example:
//   struct KnnOptions {
//     Index k = 10;
//     void describe(OptionVisitor& v) { v.field("k", k, {1, 1e6}, "neighbours looked at"); }
//   };
//   const auto options = read_options<KnnOptions>(parse_yaml("k: 3", "here"), "detector");
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/config.hpp"
#include "tyto/core/matrix.hpp"

namespace tyto {

struct Range {
  double low, high;
};

class OptionVisitor : public Interface {
 public:
  using Text = std::string_view;
  using Words = std::span<const Text>;

  virtual void field(Text key, double& value, Range range, Text help) = 0;
  virtual void field(Text key, Index& value, Range range, Text help) = 0;
  virtual void field(Text key, bool& value, Text help) = 0;
  virtual void field(Text key, std::string& word, Words words, Text help) = 0;  // none: any text
  virtual void field(Text key, std::vector<std::string>& list, Words words, Text help) = 0;
  virtual void field(Text key, std::vector<double>& values, Range range, Text help) = 0;
  virtual void field(Text key, ConfigNode& node, Text help) = 0;  // read by someone else
  virtual void section(Text key, const std::function<void(OptionVisitor&)>& inner, Text help) = 0;
};

using Describe = std::function<void(OptionVisitor&)>;

// Fills what `describe` names from `node` (a map or null). Every problem found is collected and
// thrown as one Error(config), a line each: "toy.yaml:4:5: detector.kk: unknown key; did you mean
// "k"?". `path` is the dotted name of the node itself.
void read_options(const ConfigNode& node, std::string_view path, const Describe& describe);

template <class Options>
Options read_options(const ConfigNode& node, std::string_view path) {
  Options options;
  read_options(node, path, [&](OptionVisitor& visitor) { options.describe(visitor); });
  return options;
}

// The values as they stand, defaults included.
ConfigNode write_options(const Describe& describe);

struct OptionHelp {
  std::string key, type, standard, range, help;
};

std::vector<OptionHelp> explain_options(const Describe& describe);

}  // namespace tyto
