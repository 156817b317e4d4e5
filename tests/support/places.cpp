// SPDX-License-Identifier: Apache-2.0
#include "support/places.hpp"

namespace tyto::testing_support {

std::string in_tree(std::string_view path) {
  return std::string(TYTO_SOURCE_DIR).append(path);
}

const char* built_program() {
  return TYTO_PROGRAM;
}

}  // namespace tyto::testing_support
