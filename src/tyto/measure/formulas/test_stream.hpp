// SPDX-License-Identifier: Apache-2.0
// One test of a SAIL-ON evaluation as its measures see it: samples in the order of the stream, what
// was said about each, and whether it was right.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/measure/run_view.hpp"

namespace tyto {

// The vectors have an entry per sample. Novel and changed are the truth's, not the predictor's.
struct TestStream {
  PhaseKey at;                         // step: number of the test; phase: the setting
  std::string test;                    // its id
  std::vector<std::uint8_t> novel;     // this sample is novel
  std::vector<std::uint8_t> changed;   // it comes after the red light
  std::vector<float> p_changed;        // p(the world has changed); empty if not recorded
  std::vector<std::int32_t> round;     // as recorded, from 1
  std::vector<std::string> names;      // `unknown` first, every name once
  std::vector<std::int32_t> actual;    // place in `names`
  std::vector<std::int32_t> decision;  // place in `names`
  // A sample of a class known at the start is right by its name; a novel one by its name, as
  // `unknown` or as any discovered class.
  std::vector<std::uint8_t> right, right3;  // the decision; one of the first 3; the latter empty if
                                            // fewer entries were recorded
  // Decided for anything but a class that was known when the test began.
  std::vector<std::uint8_t> called_novel;

  [[nodiscard]] Index size() const { return static_cast<Index>(novel.size()); }

  // Number of the first sample after the red light, from 0; size() if there is none.
  [[nodiscard]] Index change() const;

  [[nodiscard]] bool is_cluster(std::int32_t place) const;  // of a discovered class?
};

bool is_discovered_name(std::string_view name);  // "discovered_3"

// Does the truth tell of tests: the annotations `test`, `novel` and `changed`?
bool has_tests(const Truth& truth);

// Throws Error(data) naming the phase where an annotation is neither "0" nor "1", or where samples
// of two tests stand in one phase.
TestStream test_stream(const PhaseView& view, const Truth& truth);

// The tests of every setting on the split `test`, by step. Empty if the run is not one of tests.
using TestsBySetting = std::map<std::string, std::vector<TestStream>>;
TestsBySetting test_streams(const RunView& run);

}  // namespace tyto
