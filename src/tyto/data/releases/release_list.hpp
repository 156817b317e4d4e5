// SPDX-License-Identifier: Apache-2.0
// The annotation lists of one release of a collection: a clip of a video, its label and its split
// per row.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/csv/csv.hpp"

namespace tyto {

// What the lists call their columns. Without start and end a clip is its id.
struct ListColumns {
  std::string id = "id", start = "", end = "", label = "label", split = "split";

  [[nodiscard]] bool have_times() const { return !start.empty(); }
};

// A split of the lists, and the split of the benchmark its rows go to; "": none, they are not used.
struct ListSplit {
  std::string listed, becomes;

  [[nodiscard]] bool is_unused() const { return becomes.empty(); }
};

// train, validate and test, each becoming itself.
std::vector<ListSplit> standard_splits();

struct ClipKey {
  std::string video;
  Index start = -1, end = -1;  // seconds; both -1: not known

  [[nodiscard]] bool is_timed() const { return start >= 0; }

  // As the files are called: {video}_{start:06d}_{end:06d}; without times the id alone.
  [[nodiscard]] std::string text() const;
  // The other way round; without two times of six digits at its end, all of it is the id.
  static ClipKey parse(std::string_view text);

  bool operator==(const ClipKey&) const = default;
};

struct ListedRow {
  ClipKey key;
  std::string label;      // "": none published
  std::size_t split = 0;  // of the splits asked for
};

// The files of one release, one after another. Columns that nobody asked for are ignored; a file
// with rows of unused splits alone may lack the label. val, valid and validation are read as
// validate. Throws Error(data) naming file, line, rule and value, also where one clip has two
// labels.
std::vector<ListedRow> read_lists(std::span<const CsvTable> files, const ListColumns& columns,
                                  std::span<const ListSplit> splits);

struct LostClip {
  ClipKey key;
  Index line;  // of the black list, from 1
};

// A key per line, as ClipKey::text writes it, with times if the lists have them; blank lines are
// skipped.
std::vector<LostClip> read_blacklist(std::string_view text, std::string_view name,
                                     bool have_times = true);

}  // namespace tyto
