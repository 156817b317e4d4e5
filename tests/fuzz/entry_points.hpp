// SPDX-License-Identifier: Apache-2.0
// What the fuzzer feeds with bytes, and what the seeds are run through in an ordinary test. Each
// returns 0 or ends the program: nothing that comes over the wire or out of a foreign file may.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tyto {

int fuzz_multipart(const std::uint8_t* bytes, std::size_t size);
int fuzz_results(const std::uint8_t* bytes, std::size_t size);
int fuzz_json(const std::uint8_t* bytes, std::size_t size);
int fuzz_tensors(const std::uint8_t* bytes, std::size_t size);
int fuzz_pickle(const std::uint8_t* bytes, std::size_t size);
int fuzz_tables(const std::uint8_t* bytes, std::size_t size);
int fuzz_archive(const std::uint8_t* bytes, std::size_t size);
int fuzz_settings(const std::uint8_t* bytes, std::size_t size);
int fuzz_files(const std::uint8_t* bytes, std::size_t size);

}  // namespace tyto
