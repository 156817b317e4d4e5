// SPDX-License-Identifier: Apache-2.0
#include "tyto/predictor/composition/reserve.hpp"

#include <algorithm>
#include <cmath>

namespace tyto {

Index reserved(Index places, Index held, double share) {
  return std::min(held, static_cast<Index>(std::lround(share * static_cast<double>(places))));
}

std::vector<Index> interleave(const std::vector<Index>& held, const std::vector<Index>& asked,
                              double share) {
  std::vector<Index> out;
  out.reserve(held.size() + asked.size());
  std::size_t from_held = 0;
  std::size_t from_asked = 0;
  while (out.size() < held.size() + asked.size()) {
    const Index due =
        reserved(static_cast<Index>(out.size()) + 1, static_cast<Index>(held.size()), share);
    const bool hold = from_asked == asked.size() || static_cast<Index>(from_held) < due;
    out.push_back(hold ? held[from_held++] : asked[from_asked++]);
  }
  return out;
}

}  // namespace tyto
