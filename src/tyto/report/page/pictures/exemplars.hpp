// SPDX-License-Identifier: Apache-2.0
// What memories with a budget keep of each class, as pictures.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tyto/report/page/source.hpp"

namespace tyto {

struct ExemplarArm {
  const PageArm* arm = nullptr;
  std::map<std::string, Index> task_of_class;  // from 1
};

// A list by arm: classes in the order of their tasks, some evenly spread where there are many, and
// of each the samples that come first in memory. Arms whose memory nothing bounds are left out, as
// are those without any picture, and all arms where the data are gone.
nlohmann::ordered_json exemplars_json(const PageSource& source,
                                      const std::vector<ExemplarArm>& arms);

}  // namespace tyto
