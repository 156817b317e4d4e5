// SPDX-License-Identifier: Apache-2.0
// Bytes from libFuzzer to the entry point this program was built for.
#include "fuzz/entry_points.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return tyto::TYTO_FUZZ_ENTRY(bytes, size);
}
