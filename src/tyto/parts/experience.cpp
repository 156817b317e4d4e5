// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/experience.hpp"

namespace tyto {

Frames Experience::frame_features(Rows which) const {
  return frames_of(samples(which), [](const MatrixView& rows) { return Matrix(rows); });
}

std::vector<Index> Experience::labelled(Role role, Index from) const {
  std::vector<Index> rows;
  for (Index i = from; i < size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (roles()[at] == role && labels()[at] != Label::unknown) {
      rows.push_back(i);
    }
  }
  return rows;
}

Frames frames_of(const Samples& samples, const RepresentRows& represent) {
  Frames out;
  out.first.push_back(0);
  for (Index i = 0; i < samples.size(); ++i) {
    out.first.push_back(out.first.back() + samples.frame_count(i));
  }
  out.features = represent(samples.frame_rows());
  return out;
}

}  // namespace tyto
