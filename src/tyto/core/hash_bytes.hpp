// SPDX-License-Identifier: Apache-2.0
// 64 bits that tell bytes apart, at the speed of reading them; not for security.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace tyto {

// Eight bytes at a time in four chains. `seed`: of what came before.
inline std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed = 0) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::size_t kChains = 4;
  std::uint64_t chain[kChains] = {seed ^ 0xcbf29ce484222325, seed + 1, seed + 2, seed + 3};
  const auto mix = [](std::uint64_t& hash, std::uint64_t word) {
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;
  };
  std::size_t done = 0;
  for (; done + kChains * kWord <= bytes.size(); done += kChains * kWord) {
    for (std::size_t c = 0; c < kChains; ++c) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + done + c * kWord, kWord);
      mix(chain[c], word);
    }
  }
  for (; done < bytes.size(); ++done) {
    mix(chain[0], static_cast<std::uint64_t>(bytes[done]) + 1);
  }
  mix(chain[0], bytes.size());
  for (std::size_t c = 1; c < kChains; ++c) {
    mix(chain[0], chain[c]);
  }
  mix(chain[0], kFactor);
  return chain[0];
}

// Of numbers that lie one after the other: a vector, or a matrix that is no block of another.
template <class Numbers>
std::uint64_t hash_numbers(const Numbers& numbers, std::uint64_t seed = 0) {
  const std::span all(numbers.data(), static_cast<std::size_t>(numbers.size()));
  return hash_bytes(std::as_bytes(all), seed);
}

}  // namespace tyto
