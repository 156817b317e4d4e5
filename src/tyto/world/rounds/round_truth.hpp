// SPDX-License-Identifier: Apache-2.0
// The truth of tests as the recorder and the measures read it: by sample, with the annotations
// `novel` (this sample is new), `changed` (it comes after the change) and `test`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tyto/record/record.hpp"
#include "tyto/sail_on/test_data.hpp"
#include "tyto/world/rounds/round_samples.hpp"

namespace tyto {

using Tests = std::vector<std::shared_ptr<const sail_on::TestData>>;

struct TestFacts {
  std::string id;
  Index length = 0, round_size = 0;
  Index red_light = -1;    // row; -1: the test has none
  Index first_novel = -1;  // row; -1: nothing is novel
  Index novel = 0;         // samples
  std::vector<std::string> novel_classes;
};

TestFacts facts_of(const sail_on::TestData& test, const std::vector<std::string>& classes);

Truth truth_of(const RoundSamples& samples, const Tests& tests, Index first_test);

// Samples that an earlier test has too.
std::vector<std::pair<Index, std::string>> shown_again(const Tests& tests, Index first_test);

// Samples of tests that a dataset lacks: throws Error(data) with their number and the first.
void check_names(const Tests& tests, const RoundLists& lists, const std::string& dataset);

}  // namespace tyto
