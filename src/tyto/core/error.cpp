// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace tyto {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tyto: internal error at %s:%d: %s does not hold; please report it\n", file,
               line, condition);
  std::abort();
}

}  // namespace tyto
