// SPDX-License-Identifier: Apache-2.0
// The classes an arm discovered: what they were made of and what became of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/record/record.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto {

struct DiscoveredClass {
  std::string name;
  Index found = 0;               // step
  std::optional<Index> retired;  // step
  std::string into, why;         // while it lives: "", and how it came about
  // Of the samples predicted as it before feedback, all splits.
  std::map<std::string, Index> mix;  // true labels
  std::map<Index, Index> life;       // samples by step

  [[nodiscard]] Index size() const;
};

// In order of their names' numbers. `discoveries` is discoveries.csv, which knows the step of each
// event; without it, as in a run that is not done, the record tells the step it first shows it.
std::vector<DiscoveredClass> discovered_classes(const RunRecord& record, const std::string& arm,
                                                const PageTable* discoveries, Progress& progress);

}  // namespace tyto
