// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/novelty_sets.hpp"

namespace tyto {

NoveltySetCounts count_novelty_sets(std::span<const std::uint8_t> world,
                                    std::span<const std::uint8_t> observation,
                                    std::span<const std::uint8_t> predictor) {
  NoveltySetCounts counts{};
  for (std::size_t i = 0; i < world.size(); ++i) {
    const NoveltySet set = novelty_set(world[i] != 0, observation[i] != 0, predictor[i] != 0);
    ++counts[static_cast<std::size_t>(set)];
  }
  return counts;
}

}  // namespace tyto
