// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"

namespace tyto {

namespace {

using Text = OptionVisitor::Text;

std::string number_text(double value) {
  if (std::abs(value) < 1e15 && value == std::floor(value)) {
    return fmt::format("{}", static_cast<long long>(value));
  }
  return fmt::format("{}", value);
}

std::string range_text(Range range) {
  return fmt::format("[{}, {}]", number_text(range.low), number_text(range.high));
}

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return {};
  }
  return value;
}

class Reader final : public OptionVisitor {
 public:
  Reader(const ConfigNode& node, std::string path, std::vector<std::string>& problems)
      : node_(node), path_(std::move(path)), problems_(problems) {
    if (node.kind != ConfigNode::Kind::map && node.kind != ConfigNode::Kind::null) {
      complain(node, "", "must be a map of keys and values");
    }
  }

  void field(Text key, double& value, Range range, Text) override {
    if (const ConfigNode* found = look(key)) {
      read_number(*found, key, range, [&](double number) { value = number; });
    }
  }

  void field(Text key, Index& value, Range range, Text) override {
    if (const ConfigNode* found = look(key)) {
      read_number(*found, key, range, [&](double number) {
        if (number == std::floor(number)) {
          value = static_cast<Index>(number);
        } else {
          complain(*found, key, fmt::format("{} is not a whole number", found->text));
        }
      });
    }
  }

  void field(Text key, bool& value, Text) override {
    if (const ConfigNode* found = look(key)) {
      if (found->text == "true" || found->text == "false") {
        value = found->text == "true";
      } else {
        complain(*found, key, fmt::format("\"{}\" is neither true nor false", found->text));
      }
    }
  }

  void field(Text key, std::string& word, Words words, Text) override {
    const ConfigNode* found = look(key);
    if (found == nullptr) {
      return;
    }
    if (found->kind != ConfigNode::Kind::scalar) {
      complain(*found, key, "must be one word");
    } else if (is_one_of(*found, key, words)) {
      word = found->text;
    }
  }

  void field(Text key, std::vector<std::string>& list, Words words, Text) override {
    if (const ConfigNode* found = look(key)) {
      list.clear();
      for_each_item(*found, key, [&](const ConfigNode& item) {
        if (is_one_of(item, key, words)) {
          list.push_back(item.text);
        }
      });
    }
  }

  void field(Text key, std::vector<double>& values, Range range, Text) override {
    if (const ConfigNode* found = look(key)) {
      values.clear();
      for_each_item(*found, key, [&](const ConfigNode& item) {
        read_number(item, key, range, [&](double number) { values.push_back(number); });
      });
    }
  }

  void field(Text key, ConfigNode& node, Text) override {
    if (const ConfigNode* found = look(key)) {
      node = *found;
    }
  }

  void section(Text key, const Describe& inner, Text) override {
    static const ConfigNode none;
    const ConfigNode* found = look(key);
    Reader reader(found == nullptr ? none : *found, name(key), problems_);
    inner(reader);
    reader.finish();
  }

  void finish() {
    for (const auto& [key, value] : node_.pairs) {
      if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) {
        const std::string near = nearest_word(key, keys_);
        complain(value, key,
                 near.empty() ? fmt::format("unknown key; there are: {}", fmt::join(keys_, ", "))
                              : fmt::format("unknown key; did you mean \"{}\"?", near));
      }
    }
  }

 private:
  const ConfigNode* look(Text key) {
    keys_.emplace_back(key);
    const ConfigNode* found = node_.find(key);
    return found == nullptr || found->is_null() ? nullptr : found;
  }

  bool is_one_of(const ConfigNode& found, Text key, Words words) {
    if (words.empty() || std::find(words.begin(), words.end(), found.text) != words.end()) {
      return true;
    }
    complain(found, key,
             fmt::format("\"{}\" is not one of {}", found.text, fmt::join(words, ", ")));
    return false;
  }

  template <class Use>
  void read_number(const ConfigNode& found, Text key, Range range, const Use& use) {
    const auto number = parse_number(found.text);
    if (found.kind != ConfigNode::Kind::scalar || !number) {
      complain(found, key, fmt::format("\"{}\" is not a number", found.text));
    } else if (!(*number >= range.low && *number <= range.high)) {
      complain(found, key, fmt::format("{} is outside {}", found.text, range_text(range)));
    } else {
      use(*number);
    }
  }

  template <class Use>
  void for_each_item(const ConfigNode& found, Text key, const Use& use) {
    if (found.kind == ConfigNode::Kind::scalar) {
      use(found);  // one value may stand without brackets
      return;
    }
    for (const ConfigNode& item : found.items) {
      if (item.kind != ConfigNode::Kind::scalar) {
        complain(item, key, "must be a list of single values");
        return;
      }
      use(item);
    }
    if (found.kind != ConfigNode::Kind::list) {
      complain(found, key, "must be a list");
    }
  }

  [[nodiscard]] std::string name(Text key) const {
    return path_.empty() ? std::string(key)
           : key.empty() ? path_
                         : fmt::format("{}.{}", path_, key);
  }

  void complain(const ConfigNode& at, Text key, std::string_view what) {
    const std::string place = at.place();
    problems_.push_back(
        fmt::format("{}{}{}: {}", place, place.empty() ? "" : ": ", name(key), what));
  }

  const ConfigNode& node_;
  std::string path_;
  std::vector<std::string>& problems_;
  std::vector<std::string> keys_;
};

class Writer final : public OptionVisitor {
 public:
  ConfigNode out = ConfigNode::empty_map();

  void field(Text key, double& value, Range, Text) override { put(key, number_text(value)); }

  void field(Text key, Index& value, Range, Text) override { put(key, fmt::format("{}", value)); }

  void field(Text key, bool& value, Text) override { put(key, value ? "true" : "false"); }

  void field(Text key, std::string& word, Words, Text) override { put(key, word); }

  void field(Text key, std::vector<std::string>& list, Words, Text) override {
    ConfigNode node;
    node.kind = ConfigNode::Kind::list;
    for (const std::string& word : list) {
      node.items.push_back(ConfigNode::scalar(word));
    }
    out.put(key, std::move(node));
  }

  void field(Text key, std::vector<double>& values, Range, Text) override {
    ConfigNode list;
    list.kind = ConfigNode::Kind::list;
    for (const double value : values) {
      list.items.push_back(ConfigNode::scalar(number_text(value)));
    }
    out.put(key, std::move(list));
  }

  void field(Text key, ConfigNode& node, Text) override { out.put(key, node); }

  void section(Text key, const Describe& inner, Text) override {
    Writer writer;
    inner(writer);
    out.put(key, std::move(writer.out));
  }

 private:
  void put(Text key, std::string_view text) { out.put(key, ConfigNode::scalar(text)); }
};

class Explainer final : public OptionVisitor {
 public:
  std::vector<OptionHelp> out;
  std::string prefix;

  void field(Text key, double& value, Range range, Text help) override {
    add(key, "number", number_text(value), range_text(range), help);
  }

  void field(Text key, Index& value, Range range, Text help) override {
    add(key, "whole number", fmt::format("{}", value), range_text(range), help);
  }

  void field(Text key, bool& value, Text help) override {
    add(key, "true or false", value ? "true" : "false", "", help);
  }

  void field(Text key, std::string& word, Words words, Text help) override {
    add(key, words.empty() ? "text" : "word", word, fmt::format("{}", fmt::join(words, " | ")),
        help);
  }

  void field(Text key, std::vector<std::string>& list, Words words, Text help) override {
    add(key, "list of words", fmt::format("[{}]", fmt::join(list, ", ")),
        fmt::format("{}", fmt::join(words, " | ")), help);
  }

  void field(Text key, std::vector<double>& values, Range range, Text help) override {
    add(key, "list of numbers", fmt::format("[{}]", fmt::join(values, ", ")), range_text(range),
        help);
  }

  void field(Text key, ConfigNode&, Text help) override { add(key, "map", "", "", help); }

  void section(Text key, const Describe& inner, Text help) override {
    add(key, "map", "", "", help);
    const std::string outer = prefix;
    prefix += std::string(key) + ".";
    inner(*this);
    prefix = outer;
  }

 private:
  void add(Text key, Text type, std::string standard, std::string range, Text help) {
    out.push_back({prefix + std::string(key), std::string(type), std::move(standard),
                   std::move(range), std::string(help)});
  }
};

}  // namespace

void read_options(const ConfigNode& node, std::string_view path, const Describe& describe) {
  std::vector<std::string> problems;
  Reader reader(node, std::string(path), problems);
  describe(reader);
  reader.finish();
  if (!problems.empty()) {
    throw Error(ErrorKind::config, fmt::format("{}", fmt::join(problems, "\n")));
  }
}

ConfigNode write_options(const Describe& describe) {
  Writer writer;
  describe(writer);
  return std::move(writer.out);
}

std::vector<OptionHelp> explain_options(const Describe& describe) {
  Explainer explainer;
  describe(explainer);
  return std::move(explainer.out);
}

}  // namespace tyto
