// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/record.hpp"

#include <fmt/format.h>

namespace tyto {

std::string PhaseKey::name() const {
  return fmt::format("{:03}_{}_{}", step, phase, split);
}

}  // namespace tyto
