// SPDX-License-Identifier: Apache-2.0
// Tests of a SAIL-ON evaluation made from any dataset: some classes are known, the others are what
// is new, and a test shows both in an order with a moment of change. A pure function of dataset,
// options and seed.
//
// Every novelty and every difficulty make a group of tests. How hard new classes are is a matter of
// ranks: the classes that are not known are ordered by the distance of their mean to the nearest
// mean of a known class, features standardised; easy are the farthest third, hard the nearest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/sail_on/test_data.hpp"

namespace tyto {

struct MakeTestsOptions {
  std::string protocol = "OND";
  Index known = 0;  // classes; 0: half of those that can be learned
  Index tests = 5;  // in a group
  std::vector<std::string> novelty = {"classes"};
  std::vector<std::string> difficulty = {"mixed"};
  Index length = 640, before = 192, round_size = 32;  // in samples
  std::string red_light = "round";
  double novel_share = 0.5;
  Index novel_classes = 4;
  std::string arrival = "at_once";
  std::vector<std::string> alterations = {"noise", "exchange", "scale"};
  Index feedback_max_ids = 5, max_detection_feedback_ids = 5;
  Index pre_novelty_batches = -1;
  double test_share = 0.5;  // of the rows, where the dataset has no splits
  std::string groups = "keep";

  void describe(OptionVisitor& visitor);
  // Also what one key alone cannot tell. `path` is the dotted name of the options.
  void check(std::string_view path) const;

  // The first sample at which the red light may stand, and the last.
  [[nodiscard]] Index earliest_red_light() const;
  [[nodiscard]] Index latest_red_light() const;
};

struct MadeSample {
  std::string id;     // in its test; tells nothing
  Index row;          // of the dataset's table
  Index altered = 0;  // its row among the altered ones, from 1; 0: it is as in the dataset
};

struct MadeTests {
  std::vector<std::string> classes;  // those known at the start; the place is the number
  std::vector<Index> train;          // rows of the table to learn from, all of known classes
  std::vector<std::shared_ptr<const sail_on::TestData>> tests;  // by group and run
  std::vector<MadeSample> samples;  // of all tests, one test after another
  std::string source;               // of the features that were altered
  Matrix altered;                   // as `source` has them; no rows: nothing was altered
};

// A row of the table stands in several tests, but in each at most once, and never in one if it is
// among those to learn from. Throws Error(config or data) with the numbers where the dataset has
// too few classes or samples for what is asked.
MadeTests make_tests(const Dataset& dataset, const MakeTestsOptions& options, std::uint64_t seed);

}  // namespace tyto
