// SPDX-License-Identifier: Apache-2.0
// A table that says of each sample when and in which split it is shown: what `tyto split` writes,
// or anybody's spreadsheet.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/options.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/world/increments/splits.hpp"

namespace tyto {

// What the table calls its columns. Those besides id, increment and split may be absent; one that
// is named otherwise than here must be there.
struct ManifestColumns {
  std::string id = "id", increment = "increment", split = "split", label = "label",
              novelty = "novelty", group = "group", time = "time";

  void describe(OptionVisitor& visitor);
};

enum class Claim : std::uint8_t { none, known, novel };

// Rows that are shown, as listed. Columns that the table lacks are empty.
struct ManifestList {
  std::string name;             // of the table, for messages
  std::vector<std::string> id;  // each once
  std::vector<Index> increment;
  std::vector<Side> side;
  std::vector<std::string> label;
  std::vector<Claim> claim;  // what the table holds the sample's class for
  std::vector<std::string> group;
  std::vector<double> time;
  std::map<std::string, std::vector<std::string>> annotations;  // every other column
  std::vector<std::string> place;                               // "line 7", for messages
  Index not_shown = 0;                                          // no increment, or no split
  bool from_one = false;  // the table counts increments from 1

  [[nodiscard]] Index size() const { return static_cast<Index>(id.size()); }
};

// Increments are whole numbers from 0, or from 1 throughout, without a gap. Throws Error(data)
// naming line, rule and value; also for a sample that stands twice, since what trains must not
// test.
ManifestList read_manifest(const CsvTable& csv, const ManifestColumns& columns);

// The same of the data's own index, where the columns not claimed by the dataset are annotations.
ManifestList manifest_of(const Dataset& dataset, const ManifestColumns& columns);

}  // namespace tyto
