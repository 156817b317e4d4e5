// SPDX-License-Identifier: Apache-2.0
// Names that become other names, as a file tells them, and the classes that clips may so come to
// carry.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/config.hpp"
#include "tyto/core/csv/csv.hpp"
#include "tyto/data/releases/unify.hpp"

namespace tyto {

struct Rename {
  std::string from, to;
  std::string place;  // for messages: "kowl718.yaml:30:7: releases.0.renames", "f.csv: line 3"
};

// A map {old: new}; `path` is the dotted name of the node.
std::vector<Rename> read_renames(const ConfigNode& map, std::string_view path);

// Columns from_label and to_label; of a table with a column from_dataset the rows that bear one of
// `names` there, or all if none is given.
std::vector<Rename> read_renames(const CsvTable& table, const std::vector<std::string>& names);

// Followed to their end: of a -> b and b -> c, a becomes c. Throws Error(config) naming the place
// where a name is empty, becomes itself, becomes two things, or comes back to itself.
NewNames follow_renames(const std::vector<Rename>& renames);

// What the lists of a release and its renames have to do with each other.
struct RenameUse {
  std::vector<std::string> idle;  // whose old name no list has, a sentence each
  // The first whose new name no list has, though a list has the old one.
  std::optional<std::string> made_up;
};

// `own` and `supersedes` by release, as read.
RenameUse check_renames(const std::vector<std::vector<ListedRow>>& lists, const UnifyRules& rules,
                        const std::vector<std::vector<Rename>>& own,
                        const std::vector<std::vector<Rename>>& supersedes);

// `changes` has columns from_dataset (a release, by any of its names), from_label and to_label:
// what clips of one release are called in a later one. Returns how many unified classes clips of
// the releases up to each can carry: the names listed there and those their clips change to. Throws
// Error(data) for a release nobody knows and, unless `may_be_new`, for a name that no list has.
std::vector<Index> possible_classes(const UnifiedReleases& unified, const CsvTable& changes,
                                    const std::vector<std::vector<std::string>>& names_of_releases,
                                    bool may_be_new = true);

}  // namespace tyto
