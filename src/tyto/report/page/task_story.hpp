// SPDX-License-Identifier: Apache-2.0
// What happened in a run of class-incremental learning, told in a paragraph.
#pragma once

#include <string>
#include <vector>

#include "tyto/report/page/ranged.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto {

// Whether its final table is about tasks.
bool tells_of_tasks(const PageRun& run);

// As story_of. It tells of the arm with the highest final accuracy, ties to the first; who learned
// everything together (`joint`) is no competitor but the bound.
std::string task_story_of(const PageSource& source, std::size_t run,
                          const std::vector<std::vector<HeadlineNumber>>& headlines);

}  // namespace tyto
