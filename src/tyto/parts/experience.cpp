// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/experience.hpp"

namespace tyto {

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

}  // namespace tyto
