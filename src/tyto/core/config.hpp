// SPDX-License-Identifier: Apache-2.0
// A parsed YAML document that knows the place of every value. The rest of the library never sees
// the YAML library.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tyto {

struct ConfigPair;

struct ConfigNode {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  std::string text;               // scalar
  bool quoted = false;            // scalar: "10" is a word, 10 a number
  std::vector<ConfigNode> items;  // list
  std::vector<ConfigPair> pairs;  // map, in the order of the file
  std::string file;               // where it was read, for messages
  int line = 0, column = 0;       // from 1; 0: not from a file

  static ConfigNode scalar(std::string_view text);
  static ConfigNode empty_map();

  [[nodiscard]] bool is_null() const { return kind == Kind::null; }

  [[nodiscard]] const ConfigNode* find(std::string_view key) const;  // null: absent or not a map
  [[nodiscard]] ConfigNode* find(std::string_view key);
  void put(std::string_view key, ConfigNode value);  // replaces or appends
  void remove(std::string_view key);
  [[nodiscard]] std::string place() const;  // "toy.yaml:4:5"
};

struct ConfigPair {
  std::string key;
  ConfigNode value;
};

// One document; a second one, which would be lost, is refused.
ConfigNode parse_yaml(std::string_view text, std::string_view name);
ConfigNode load_yaml(const std::filesystem::path& path);
std::string to_yaml(const ConfigNode& node);

// Sets a.b.c or a.0.c (a list item) to the YAML in `value`. Messages name `origin` as its place, or
// else the path.
void set_path(ConfigNode& root, std::string_view path, std::string_view value,
              std::string_view origin = "");

// Keys of `over` replace those of `base`; maps merge key by key.
ConfigNode merge(const ConfigNode& base, const ConfigNode& over);

}  // namespace tyto

// Example:
//
//   ConfigNode node = parse_yaml("preset: slda", "mine.yaml");
//   set_path(node, "accepted_error", "0.01");
