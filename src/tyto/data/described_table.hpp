// SPDX-License-Identifier: Apache-2.0
// A table as a dataset: the descriptor that says so, and a table taken for one without it.
#pragma once

#include <filesystem>
#include <string>

#include "tyto/data/dataset.hpp"
#include "tyto/data/table_roles.hpp"

namespace tyto {

// Ends as tables do: .csv, .tsv or .txt, packed or not.
bool is_table(const std::filesystem::path& path);

// The text of a dataset.yaml, commented for people. `index` is the table as the descriptor names
// it.
std::string descriptor_text(const CsvTable& csv, const TableRoles& roles, const std::string& name,
                            const std::string& index);

// The descriptor beside a table, if it is of that table; else "".
std::filesystem::path descriptor_of(const std::filesystem::path& table);

// For a table whose columns leave no doubt; throws Error(data) with the doubts and what to do.
std::string plain_descriptor(const std::filesystem::path& table);

// Columns of a dataset's index that are no features, as the table calls them.
struct OtherColumns {
  std::string id;  // that names the samples; "" where rows are numbered
  std::vector<std::string> names;
};

// Empty for a dataset without files.
OtherColumns other_columns(const Dataset& dataset, const std::vector<std::string>& features);

}  // namespace tyto
