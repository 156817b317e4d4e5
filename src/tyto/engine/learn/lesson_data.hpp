// SPDX-License-Identifier: Apache-2.0
// The labelled samples of a dataset, to be learned all at once outside any experiment.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tyto/core/random.hpp"
#include "tyto/data/dataset.hpp"
#include "tyto/sample/samples.hpp"

namespace tyto {

constexpr std::string_view kOneClass = "normal";  // of data without labels

struct LessonData {
  Samples samples;                 // in an order of their own: that of a file tells classes
  std::vector<std::string> label;  // never empty
  std::vector<Index> group;        // numbered from 0; empty where the data have none
  std::vector<bool> in_test;       // of an official split; empty where there is none
  std::map<std::uint32_t, std::string> names;  // of the dataset, by id of the sample
  Index unlabelled = 0;                        // left out
  bool without_labels = false;                 // all of them: they are one class, kOneClass

  [[nodiscard]] Index size() const { return samples.size(); }

  [[nodiscard]] std::vector<std::string> classes() const;  // sorted
};

LessonData lesson_data(const Dataset& dataset, const Rng& rng);

}  // namespace tyto
