// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/record.hpp"

#include <fmt/format.h>

namespace tyto {

std::string PhaseKey::name() const {
  return batch == 0 ? fmt::format("{:03}_{}_{}", step, phase, split)
                    : fmt::format("{:03}-{:04}_{}_{}", step, batch, phase, split);
}

}  // namespace tyto
