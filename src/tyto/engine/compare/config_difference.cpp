// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/compare/config_difference.hpp"

#include <algorithm>
#include <set>

namespace tyto {

namespace {

using Kind = ConfigNode::Kind;
using Child = std::pair<std::string, const ConfigNode*>;

bool is_plain(const ConfigNode& list) {
  return std::all_of(list.items.begin(), list.items.end(),
                     [](const ConfigNode& item) { return item.kind != Kind::map; });
}

// Names of the items, or none if one has no name of its own.
std::optional<std::vector<std::string>> item_names(const ConfigNode& list) {
  std::vector<std::string> names;
  for (const ConfigNode& item : list.items) {
    const ConfigNode* name = item.find("name");
    if (name == nullptr || name->kind != Kind::scalar) {
      return std::nullopt;
    }
    names.push_back(name->text);
  }
  const std::set<std::string> different(names.begin(), names.end());
  return different.size() == names.size() ? std::optional(names) : std::nullopt;
}

std::vector<Child> children(const ConfigNode& node, bool by_name) {
  std::vector<Child> out;
  for (const ConfigPair& pair : node.pairs) {
    out.emplace_back(pair.key, &pair.value);
  }
  const auto names = by_name ? item_names(node) : std::nullopt;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    out.emplace_back(names ? (*names)[i] : std::to_string(i), &node.items[i]);
  }
  return out;
}

const ConfigNode* child_of(const std::vector<Child>& all, const std::string& key) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Child& child) { return child.first == key; });
  return found == all.end() ? nullptr : found->second;
}

void compare(const std::string& path, const ConfigNode* first, const ConfigNode* second,
             std::vector<ConfigDifference>& out) {
  const bool branches = first != nullptr && second != nullptr && first->kind == second->kind &&
                        (first->kind == Kind::map ||
                         (first->kind == Kind::list && !(is_plain(*first) && is_plain(*second))));
  if (!branches) {
    const auto text = [](const ConfigNode* node) {
      return node == nullptr ? std::nullopt : std::optional(one_line(*node));
    };
    if (text(first) != text(second)) {
      out.push_back({path, text(first), text(second)});
    }
    return;
  }
  const bool by_name = item_names(*first) && item_names(*second);
  const auto ours = children(*first, by_name);
  const auto theirs = children(*second, by_name);
  const std::string before = path.empty() ? "" : path + ".";
  for (const auto& [key, node] : ours) {
    compare(before + key, node, child_of(theirs, key), out);
  }
  for (const auto& [key, node] : theirs) {
    if (child_of(ours, key) == nullptr) {
      compare(before + key, nullptr, node, out);
    }
  }
}

}  // namespace

std::vector<ConfigDifference> config_differences(const ConfigNode& first,
                                                 const ConfigNode& second) {
  std::vector<ConfigDifference> out;
  compare("", &first, &second, out);
  return out;
}

std::string one_line(const ConfigNode& node) {
  switch (node.kind) {
    case Kind::null: return "~";
    case Kind::scalar: return node.text.empty() ? "\"\"" : node.text;
    default: break;
  }
  std::string out;
  for (const ConfigNode& item : node.items) {
    out += (out.empty() ? "" : ", ") + one_line(item);
  }
  for (const ConfigPair& pair : node.pairs) {
    out += (out.empty() ? "" : ", ") + pair.key + ": " + one_line(pair.value);
  }
  return node.kind == Kind::list ? "[" + out + "]" : "{" + out + "}";
}

}  // namespace tyto
