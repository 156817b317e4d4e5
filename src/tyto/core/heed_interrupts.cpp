// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/heed_interrupts.hpp"

#include "tyto/core/error.hpp"
#include "tyto/core/progress.hpp"

namespace tyto {

void heed_interrupts() {
  if (Progress::interrupt() != 0) {
    throw Cancelled();
  }
}

}  // namespace tyto
