// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/printable.hpp"

#include <iterator>

#include <fmt/format.h>

namespace tyto {

std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 100;
  std::string out;
  for (const char letter : text.substr(0, kMost)) {
    if (letter >= ' ' && letter <= '~') {
      out += letter;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(letter));
    }
  }
  return text.size() > kMost ? out + "..." : out;
}

}  // namespace tyto
