// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/running_statistics.hpp"

namespace tyto {

void learn_statistics(ClassStatistics& statistics, Scatter scatter, const Experience& experience,
                      Work& work) {
  if (experience.starts_over()) {
    statistics = ClassStatistics(scatter);
  }
  experience.each_block(Role::fit, experience.fresh(),
                        [&](const Evidence& block, std::span<const Label> labels) {
                          std::vector<std::int32_t> keys;
                          keys.reserve(labels.size());
                          for (const Label label : labels) {
                            keys.push_back(static_cast<std::int32_t>(label));
                          }
                          statistics.add(block.features, keys);
                          work.progress.pulse();
                        });
}

std::vector<Label> class_labels(const ClassStatistics& statistics) {
  std::vector<Label> labels;
  for (const std::int32_t key : statistics.keys()) {
    labels.push_back(static_cast<Label>(key));
  }
  return labels;
}

}  // namespace tyto
