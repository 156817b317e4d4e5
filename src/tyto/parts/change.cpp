// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/change.hpp"

#include <array>

namespace tyto {

std::string_view change_name(ChangeKind kind) {
  static constexpr std::array<std::string_view, 4> kNames{"none", "new_classes", "shift",
                                                          "unclear"};
  return kNames.at(static_cast<std::size_t>(kind));
}

}  // namespace tyto
