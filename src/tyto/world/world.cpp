// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/world.hpp"

namespace tyto {

const Split* Deal::find(std::string_view name) const {
  for (const Split& split : splits) {
    if (split.name == name) {
      return &split;
    }
  }
  return nullptr;
}

}  // namespace tyto
