// SPDX-License-Identifier: Apache-2.0
// Classes that are renamed, merged or split in the middle of a run. A sample bears the name that is
// used when it is shown, in the truth too.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/config.hpp"
#include "tyto/core/options.hpp"
#include "tyto/sample/label_change.hpp"
#include "tyto/world/increments/increments.hpp"

namespace tyto {

struct LabelHistory {
  std::vector<std::vector<LabelChange>> changes;  // by increment, those that begin with it
  std::vector<std::vector<std::string>> shown;  // classes shown before it, as they are called then
  std::vector<std::vector<Index>> last_shown;   // the last increment before it that showed each
  std::vector<std::string> label;               // by table row: as it is called when shown
  // By increment and split, as the schedule has it: nothing was shown before under the name of the
  // row. Names that no change touches are as scheduled.
  std::vector<std::array<std::vector<bool>, 3>> novel;
  // New names, each with the increment at which a sample that came to bear it was first shown.
  std::vector<std::pair<std::string, Index>> first_shown;

  [[nodiscard]] bool any() const { return !changes.empty(); }
};

// `node` is a list such as
//   [{increment: 3, rename: {a: b}}, {increment: 4, merge: {d: [a, c]}},
//    {increment: 5, split: {d: {annotation: subject}}}]
// where a split goes by an annotation of the samples or by a table with the columns id and label.
// Throws Error naming `path`, place and rule. Null or empty: no history.
LabelHistory label_history(const ConfigNode& node, std::string_view path, const IndexTable& table,
                           const Schedule& schedule);

// The option of a world that takes such a list.
void describe_label_changes(OptionVisitor& visitor, ConfigNode& changes);

// The form alone, for who has no data yet.
void check_label_changes(const ConfigNode& node, std::string_view path);

}  // namespace tyto
