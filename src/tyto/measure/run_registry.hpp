// SPDX-License-Identifier: Apache-2.0
// The measures of whole runs by name: what no phase can tell alone. A family of them is one file
// run_families/<name>.cpp that defines `std::vector<RunMeasureSpec> <name>_run_measures()` and one
// line in measure/CMakeLists.txt.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/measure/registry.hpp"
#include "tyto/measure/run_view.hpp"

namespace tyto {

struct RunValue {
  PhaseKey at;       // phase and split that were read; the step: kAllSteps for the whole run
  std::string name;  // of the class it is about; empty: of all
  std::optional<double> value;
  Index samples = 0;
};

struct RunMeasureSpec {
  std::string name;
  std::string summary;  // a sentence for someone new to the field
  std::string formula;  // in plain characters, symbols explained
  std::string reads;    // which phases, for people
  Better better = Better::higher;
  View view = View::raw;  // where its rows stand
  std::vector<std::string> also_called = {};
  // As far as the run has got at each step and, last, over all of it, for every split it is defined
  // on. Nothing where the run lacks the phases.
  std::function<std::vector<RunValue>(const RunView& run)> values = {};
};

std::span<const RunMeasureSpec> run_measure_specs();  // by family, in the order of the list

// By its name or one of the others; null: no measure of a run is called so.
const RunMeasureSpec* find_run_measure(std::string_view name);

// What both kinds of measures have in common. Throws as find_measure.
struct MeasureFacts {
  std::string name, summary;
  Better better = Better::higher;
};

MeasureFacts measure_facts(std::string_view name);

// Rows of these measures, of every one if none is named; names of other measures are passed over.
// Values of single classes are left out.
std::vector<MeasureRow> measure_whole_run(const RunView& run, std::span<const std::string> names);
// The same for each group of the series.
std::vector<MeasureRow> measure_whole_run(std::span<const PhaseSeries> series, const Truth& truth,
                                          std::span<const std::string> names);

}  // namespace tyto
