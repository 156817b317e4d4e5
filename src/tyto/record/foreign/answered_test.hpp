// SPDX-License-Identifier: Apache-2.0
// A SAIL-ON test with the rows an agent posted to it, as phases of a record: one per round, so that
// all measures of tests score it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tyto/record/memory_record.hpp"
#include "tyto/sail_on/test_data.hpp"

namespace tyto {

struct AnsweredTest {
  sail_on::TestData test;
  Index number = 1;  // step of its phases
  // CSV without header, the sample's id first. A table of OND has K known classes and, last,
  // unknown; one of CONDDA, which is read in tests of that protocol, unknown, K known and D
  // discovered classes, D growing from round to round.
  std::string detection, classification, characterization;
};

// The samples of all tests, one test after the other. Rows are matched by id; of several the last
// counts. A test may end before its last sample, if it was not finished, but must have no holes;
// one without any row is left out. Where a detection has a second number, that is the sample's
// novelty, else 1 - the largest probability of a known class. Known are K classes throughout, as
// rows do not tell what feedback told the agent. Column j is the class with number j (from 0),
// which bears the name the test gives it. `round_size` 0: that of the metadata, or the whole test
// where they have none. Throws Error(data) naming test, text, line and what is wrong.
std::unique_ptr<MemoryRecord> answered_record(std::span<const AnsweredTest> tests,
                                              const std::string& setting, Index round_size = 0);

}  // namespace tyto
