// SPDX-License-Identifier: Apache-2.0
// What the columns of a table are, told from their names and values: names of samples, classes,
// groups, splits, times, features.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tyto/core/csv/csv.hpp"

namespace tyto {

// Columns a user names; "": to be found.
struct AskedRoles {
  std::string id, label, group, split;
  std::vector<std::string> ignore;  // no features, nor anything else
};

struct TableRoles {
  std::map<std::string, std::string> column;  // by role: id, label, group, split, time
  std::vector<std::string> features;          // in the order of the table
  std::vector<std::string> kept;     // neither: words, or numbers with gaps; annotations of samples
  std::vector<std::string> ignored;  // bear the name of a role that they cannot have, or were named
  std::vector<std::string> reasons;  // sentences on what is no feature, and why
  std::vector<std::string> doubts;   // of these what a user should look at before relying on it
};

// A role goes to a column of a usual name whose values allow it: ids differ, classes repeat, splits
// are called train, validate or test. Where no name tells the classes, the only or last column of
// words that repeat is taken, which is a doubt. Whatever else holds numbers throughout is a
// feature, but a column that counts the rows. Throws Error(config) for a column that was named and
// is not there or cannot be what it was named for, Error(data) where no feature is left.
TableRoles find_roles(const CsvTable& csv, const AskedRoles& asked = {});

// The column called as classes usually are, whatever it holds.
std::optional<Index> usual_label_column(const CsvTable& csv);

}  // namespace tyto
