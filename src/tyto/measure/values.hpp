// SPDX-License-Identifier: Apache-2.0
// Values of many measures at once: of one increment, and what they come to over all of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tyto/measure/registry.hpp"

namespace tyto {

// A measure of one view.
struct MeasureColumn {
  const MeasureSpec* spec = nullptr;
  View view = View::raw;
};

using Columns = std::span<const MeasureColumn>;
using Values = std::vector<std::optional<double>>;  // by column; missing where not defined

// Every view of these measures; of every measure if none is named. Measures of whole runs are
// passed over. Throws Error(config) for one that does not exist.
std::vector<MeasureColumn> measure_columns(const std::vector<std::string>& names);

Values values_of(const PhaseView& view, Columns columns);

// Summed counts or means, as each measure's spec says.
class StepTotals {
 public:
  explicit StepTotals(Columns columns);

  void add(const PhaseView& view, const Values& values);

  [[nodiscard]] Values values() const;

  [[nodiscard]] const PhaseView& counts() const { return counts_; }

 private:
  Columns columns_;
  PhaseView counts_;
  std::vector<double> sums_;  // by column
  std::vector<Index> summed_;
  bool started_ = false;
};

// By increment and, last, over all of them.
std::vector<Values> values_by_step(std::span<const PhaseView> steps, Columns columns);

}  // namespace tyto
