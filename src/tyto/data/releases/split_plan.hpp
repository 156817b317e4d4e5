// SPDX-License-Identifier: Apache-2.0
// How the releases of a collection become a benchmark of increments, as a YAML file tells it.
// docs/splitting.md has all keys; datasets/splits/ holds the files that come with Tyto.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/data/releases/renames.hpp"

namespace tyto {

struct ReleasePlan {
  std::string name;
  std::vector<std::string> also_called = {};  // in tables of label changes
  std::vector<std::filesystem::path> lists = {};
  std::vector<ListSplit> splits = standard_splits();
  std::vector<Rename> renames = {}, supersedes = {};
  Index increments = 0;  // over which it is spread; the start has none
  std::string place;     // in the file, for messages

  [[nodiscard]] std::vector<std::string> names() const;  // its own and the others
};

struct SplitPlan {
  std::string name, summary;
  std::map<std::string, std::string> about;
  std::string file;  // it was read from, for messages
  ListColumns columns;
  std::string label = "recent_first", place = "first_come";
  std::string test = "union", schedule = "text", novel = "shown", strays = "count";
  bool merge_case = true, new_names = false;
  Index seed = 0;
  std::string stream;                              // of random numbers
  std::size_t start = 0;                           // increment 0 holds the releases up to this one
  std::filesystem::path blacklist, label_changes;  // "": none
  std::vector<ReleasePlan> releases;               // by age

  [[nodiscard]] UnifyRules rules() const;
  [[nodiscard]] std::vector<std::vector<std::string>> names_of_releases() const;
  // Throws Error(config) naming the releases there are.
  [[nodiscard]] ReleasePlan& release(std::string_view name);
};

// Paths are relative to `folder`. Throws Error(config) naming file, line, key, rule and value. A
// release need not have lists yet.
SplitPlan read_split_plan(const ConfigNode& node, const std::filesystem::path& folder);

// A file, or the name of one that comes with Tyto; throws Error(config) naming those there are.
std::filesystem::path find_split_plan(std::string_view file_or_name);
std::vector<std::string> split_plan_names();

std::vector<OptionHelp> split_plan_options();  // the keys, those of a release as releases.N.key

}  // namespace tyto
