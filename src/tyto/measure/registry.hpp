// SPDX-License-Identifier: Apache-2.0
// The measures by name. A family of measures is one file families/<name>.cpp that defines
// `std::vector<MeasureSpec> <name>_measures()` and one line in measure/CMakeLists.txt.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/measure/phase_view.hpp"

namespace tyto {

enum class Better { higher, lower, neither };  // neither: it describes the task

std::string_view better_name(Better better);  // "higher", "lower", "neither"

// How the value over all increments comes about.
enum class OverSteps {
  sum,  // one value of the summed counts: each sample weighs the same
  mean  // mean of the increments that have a value: needs single samples or their order
};

struct MeasureSpec {
  std::string name;
  std::string summary;         // a sentence for someone new to the field
  std::string formula;         // in plain characters, symbols explained
  std::string positive_class;  // "novel", or "" where classes are treated alike
  Better better = Better::higher;
  OverSteps over_steps = OverSteps::sum;
  std::vector<View> views;  // those it is meaningful for
  std::function<std::optional<double>(const PhaseView& phase, View view)> value;
  std::vector<std::string> also_called = {};  // other names in the literature
  bool needs_order = false;  // hangs on the order of the samples, which a resample has not
};

std::span<const MeasureSpec> measure_specs();  // by family, in the order of the list

// By its name or one of the others. Throws Error(config) naming the measures there are and the
// likeliest spelling.
const MeasureSpec& find_measure(std::string_view name);

}  // namespace tyto

// Example:
//
//   const auto mcc = [](const PhaseView& phase) {
//     return find_measure("mcc").value(phase, View::detection);
//   };
