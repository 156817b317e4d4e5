// SPDX-License-Identifier: Apache-2.0
// Features joined to samples by id. Videos get lost between a list and its features, in both
// directions, and rows that are counted off would then belong to other samples.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/data/dataset.hpp"

namespace tyto {

enum class Lost { refuse, leave_out };

struct IdJoin {
  std::vector<Index> sample;   // rows of the table that have features, ascending
  std::vector<Index> feature;  // and their rows among the features
  std::string note;            // what was left out, as a sentence; "" for nothing
};

// `what` names the features in messages. Throws Error(data) for an id that stands twice on one side
// and, unless they are to be left out, with the count and the first few of those that one side
// lacks: "12 of 400 samples have no features in x3d.npy: v_a, v_b, ...; 3 rows of x3d.npy belong to
// no sample: w_c, ...".
IdJoin join_by_id(std::span<const std::string> samples, std::span<const std::string> features,
                  std::string_view what, Lost lost = Lost::refuse);

// Ids of rows, in their order: the lines of a .txt file, or a column of a CSV: the one called
// `column` ("": `id`, or the only one there is).
std::vector<std::string> read_id_list(const std::filesystem::path& path, std::string_view column);

// These rows of a table whose samples have one row each.
IndexTable picked_rows(const IndexTable& table, Rows rows);

}  // namespace tyto
