// SPDX-License-Identifier: Apache-2.0
// What happened in a run of novelty detection or category discovery, told in a paragraph.
#pragma once

#include <string>
#include <vector>

#include "tyto/report/page/ranged.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto {

// Whether its final table is about detection.
bool tells_of_detection(const PageRun& run);

// As story_of. It tells of the arm with the highest AUROC, ties to the first.
std::string detection_story_of(const PageSource& source, std::size_t run,
                               const std::vector<std::vector<HeadlineNumber>>& headlines);

// Whether its final table is about groups matched with classes, old and new ones.
bool tells_of_categories(const PageRun& run);

// It tells of the arm that sorted most right, ties to the first.
std::string category_story_of(const PageSource& source, std::size_t run,
                              const std::vector<std::vector<HeadlineNumber>>& headlines);

}  // namespace tyto
