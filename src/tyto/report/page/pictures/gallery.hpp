// SPDX-License-Identifier: Apache-2.0
// The samples of an arm that are worth a look: its most extreme successes and failures.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/record/record.hpp"

namespace tyto {

struct GalleryItem {
  SampleId sample{};
  Index step = 0;
  std::string name, truth;
  std::vector<std::pair<std::string, double>> top;  // the decision, then by probability
  std::optional<double> novelty, p_value;
};

struct GalleryShelf {
  std::string kind;  // "alarm", "false alarm", "miss", "mistake", "discovered"
  std::string title, about;
  std::vector<GalleryItem> items;  // most extreme first, ties by name, then step
  Index samples = 0;               // that there are
};

// Test samples before feedback: new ones called new and known ones called new, the highest novelty
// first; new ones taken for known, the lowest first; known ones taken for another, the surest
// first; and the `classes` largest of the discovered classes, the surest first. Without a novelty
// score the confidence decides. Shelves without a sample are left out. Holds one phase at a time.
std::vector<GalleryShelf> gallery_of(const RunRecord& record, std::size_t items,
                                     std::size_t classes, Progress& progress);

}  // namespace tyto
