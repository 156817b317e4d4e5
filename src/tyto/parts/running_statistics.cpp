// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/running_statistics.hpp"

#include "tyto/core/parallel.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

void learn_statistics(ClassStatistics& statistics, Scatter scatter, const Experience& experience,
                      Work& work) {
  if (experience.starts_over()) {
    statistics = ClassStatistics(scatter);
  }
  // By features alone: what else the evidence of a block would hold is not worked out for it.
  constexpr Index kRows = 8192;
  const std::vector<Index> rows = experience.labelled(Role::fit, experience.fresh());
  in_blocks(std::ssize(rows), kRows, [&](Index first, Index some) {
    const Rows chunk = Rows(rows).subspan(at(first), at(some));
    in_blocks(some, samples_per_block(experience.samples(chunk), kRows),
              [&](Index begin, Index count) {
                const Rows block = chunk.subspan(at(begin), at(count));
                std::vector<std::int32_t> keys;
                keys.reserve(block.size());
                for (const Index row : block) {
                  keys.push_back(static_cast<std::int32_t>(experience.labels()[at(row)]));
                }
                statistics.add(experience.features(block), keys);
                work.progress.pulse();
              });
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
