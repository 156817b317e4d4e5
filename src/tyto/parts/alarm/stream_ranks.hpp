// SPDX-License-Identifier: Apache-2.0
// Ranks of scores among the held-out ones and all that came before them in a stream.
#pragma once

#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/core/state.hpp"

namespace tyto {

class StreamRanks {
 public:
  // (1 + #{held-out scores and earlier ones >= score}) / (held + its number in the stream), where
  // the number of held-out scores is read off `p_value` = (1 + #{held-out >= score}) / (held + 1).
  double next(float score, float p_value, Index held);

  [[nodiscard]] Index held() const { return held_; }  // at the last score

  void clear();
  void save(State& state) const;
  void load(const State& state);

 private:
  void tidy();

  Index held_ = 0;
  std::vector<float> sorted_;  // ascending
  std::vector<float> latest_;  // not yet among them
};

}  // namespace tyto
