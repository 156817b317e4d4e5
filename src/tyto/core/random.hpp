// SPDX-License-Identifier: Apache-2.0
// Named, counter-based random streams: a draw depends on seed, path and position, on nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

// Philox4x32-10 (Salmon et al. 2011): 128 random bits for a counter under a key. Inline, so that
// loops over counters (dropout masks) vectorise and run in parallel without any state.
constexpr std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counter,
                                              std::uint64_t lane = 0) {
  auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  std::array<std::uint32_t, 4> x{low(counter), high(counter), low(lane), high(lane)};
  std::uint32_t k0 = low(key);
  std::uint32_t k1 = high(key);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * x[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * x[2];
    x = {high(b) ^ x[1] ^ k0, low(b), high(a) ^ x[3] ^ k1, low(a)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return x;
}

// A well-mixed 64-bit hash of a word and a number; the same on every machine.
std::uint64_t mix(std::uint64_t seed, std::string_view word, std::uint64_t number = 0);

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::string_view path = {}, std::uint64_t step = 0)
      : key_(mix(seed, path, step)) {}

  // A stream of its own, the same wherever this one stands.
  [[nodiscard]] Rng fork(std::string_view name, std::uint64_t step = 0) const {
    return Rng(key_, name, step);
  }

  [[nodiscard]] std::uint64_t key() const { return key_; }

  std::uint64_t bits() {
    const auto x = philox(key_, counter_++);
    return (std::uint64_t{x[1]} << 32) | x[0];
  }

  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }  // in [0, 1)

  double normal();       // mean 0, variance 1
  Index below(Index n);  // in [0, n), unbiased

  template <class T>
  void shuffle(std::vector<T>& items) {  // Fisher-Yates from the end
    for (Index i = static_cast<Index>(items.size()) - 1; i > 0; --i) {
      std::swap(items[static_cast<std::size_t>(i)], items[static_cast<std::size_t>(below(i + 1))]);
    }
  }

  std::vector<Index> permutation(Index n);

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace tyto

// Example:
//
//   Rng rng(7, "shuffle");
//   const std::vector<Index> order = rng.permutation(10);
//   const double noise = rng.fork("noise").normal();  // the same wherever `rng` stands
