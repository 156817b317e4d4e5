// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/neighbour_ratio.hpp"

#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

std::vector<float> neighbour_ratio(const Evidence& evidence, std::string_view who) {
  if (evidence.size() == 0) {
    return {};
  }
  TYTO_ASSERT(evidence.near != nullptr);
  const Neighbours& nearest = evidence.near->remembered();
  if (nearest.distance.cols() == 0) {
    throw Error(
        ErrorKind::state,
        fmt::format("{} needs remembered samples, and the memory holds none to fit on", who));
  }
  const Neighbours& rivals = evidence.near->rivals();
  std::vector<float> ratio;
  for (Index i = 0; i < evidence.size(); ++i) {
    const float near = nearest.distance(i, 0);
    const float rival = rivals.distance(i, 0);
    ratio.push_back(rival > 0.0F ? std::sqrt(near / rival) : 1.0F);
  }
  return ratio;
}

}  // namespace tyto
