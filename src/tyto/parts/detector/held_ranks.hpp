// SPDX-License-Identifier: Apache-2.0
// Where a score stands among those of the held-out samples: conformal p-values, with a tail.
#pragma once

#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// With n held-out scores h and c = #{h >= s}: a new score has p = (1 + c) / (n + 1), a held-out
// one, which c counts already, c / (n + 1). That is at most its p-value once a new sample has
// joined them, so whatever is combined from such p-values in a monotone way and compared with its
// values at the held-out samples errs on the safe side.
//
// Above all others p would stand still at 1 / (n + 1). There it goes on falling,
//   p = exp(-log(1 + shape e) / shape) / (n + 1),  e = (s - greatest of the others) / width,
// width the range of the greatest m + 1 of the others over 1 + 1/2 + .. + 1/m (for exponential
// tails its scale), m = min(tail, n - 1); no tail where m < 2. A held-out score has one other less:
// its range of m of them is never wider than that of m + 1 with a new one, whatever that is, so
// that the argument above holds in the tail as well.
class HeldRanks {
 public:
  HeldRanks() = default;
  HeldRanks(std::vector<float> held, Index tail, double shape);

  [[nodiscard]] Index size() const { return static_cast<Index>(held_.size()); }

  [[nodiscard]] double log_p_new(float score) const;
  [[nodiscard]] double log_p_held(float score) const;  // one of the held-out scores

 private:
  [[nodiscard]] Index at_least(float score) const;
  [[nodiscard]] double beyond(double excess, double width) const;  // minus the log of the tail

  std::vector<float> held_;  // ascending
  double shape_ = 0;
  double width_new_ = -1, width_held_ = -1;  // below 0: no tail
};

}  // namespace tyto
