// SPDX-License-Identifier: Apache-2.0
// YAML as experiments, presets and descriptions of datasets are written in.
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/entry_points.hpp"

#include "tyto/core/config.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/options.hpp"

namespace tyto {

namespace {

struct FuzzedOptions {
  Index count = 3;
  double share = 0.5;
  bool wanted = true;
  std::string word = "one";
  std::vector<std::string> list;
  std::vector<double> values;
  ConfigNode other;

  void describe(OptionVisitor& v) {
    static constexpr std::string_view kWords[] = {"one", "two"};
    v.field("count", count, {1, 10}, "a number");
    v.field("share", share, {0, 1}, "a share");
    v.field("wanted", wanted, "yes or no");
    v.field("word", word, kWords, "one of two");
    v.field("list", list, {}, "texts");
    v.field("values", values, {-1, 1}, "numbers");
    v.section(
        "inner", [this](OptionVisitor& inner) { inner.field("world", other, "anything"); }, "more");
  }
};

}  // namespace

int fuzz_settings(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  ConfigNode node;
  try {
    node = parse_yaml(text, "fuzz.yaml");
  } catch (const Error&) {
    return 0;
  }
  try {
    auto options = read_options<FuzzedOptions>(node, "fuzz");
    if (options.count < 1 || options.count > 10 || !(options.share >= 0 && options.share <= 1)) {
      std::abort();
    }
    const ConfigNode written = write_options([&](OptionVisitor& v) { options.describe(v); });
    static_cast<void>(read_options<FuzzedOptions>(written, "written"));
  } catch (const Error&) {
    static_cast<void>(0);
  }
  // What is written can be read again or is refused; yaml-cpp writes a lone carriage return so that
  // it reads otherwise.
  try {
    static_cast<void>(parse_yaml(to_yaml(node), "written.yaml"));
  } catch (const Error&) {
    static_cast<void>(0);
  }
  static_cast<void>(to_yaml(merge(node, node)));
  try {
    set_path(node, text.substr(0, text.find('\n')), text, "fuzz");
  } catch (const Error&) {
    return 0;
  }
  return 0;
}

}  // namespace tyto
