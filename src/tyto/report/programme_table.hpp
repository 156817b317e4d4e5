// SPDX-License-Identifier: Apache-2.0
// Tests of a SAIL-ON evaluation with their measures, as tables for a terminal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tyto/measure/formulas/condda.hpp"
#include "tyto/measure/formulas/programme.hpp"

namespace tyto {

// The tests of one agent in one setting.
struct ProgrammeArm {
  std::string name, setting;
  std::vector<TestScores> tests;
  std::vector<BaselineScores> baseline;  // empty: without one
  std::vector<ConddaScores> condda;      // empty: nothing was to be discovered
};

// All settings of a record, with those of a baseline where one is given. Throws Error(config) where
// the record, or the baseline, is not one of tests.
std::vector<ProgrammeArm> programme_arms(const std::string& name, const RunRecord& record,
                                         const Selection& only, const RunRecord* baseline);

// Every measure of the arm over its tests, M1 to M6 among them.
std::vector<ProgrammeRow> summary_of(const ProgrammeArm& arm, const BootstrapOptions& bootstrap);

// A line per test, then a line per measure over all of them.
std::string programme_table(const ProgrammeArm& arm, std::span<const ProgrammeRow> summary);

// A line per measure over tests that has a value.
std::string summary_table(std::span<const ProgrammeRow> rows);

}  // namespace tyto
