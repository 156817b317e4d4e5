// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/random.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

std::uint64_t scramble(std::uint64_t z) {  // the finaliser of SplitMix64
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t mix(std::uint64_t seed, std::string_view word, std::uint64_t number) {
  std::uint64_t h = scramble(seed + 0x9E3779B97F4A7C15ULL);
  for (const char c : word) {
    h = scramble(h ^ static_cast<unsigned char>(c)) + 0x9E3779B97F4A7C15ULL;
  }
  // Seed and number enter differently, so that (1, "", 2) and (2, "", 1) part ways.
  return scramble(scramble(h ^ word.size()) + (number + 1) * 0xD1342543DE82EF95ULL);
}

double Rng::normal() {  // Box-Muller, one value per two draws: no state besides the counter
  const double u = 1.0 - uniform();
  const double v = uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

Index Rng::below(Index n) {
  TYTO_ASSERT(n > 0);
  const auto range = static_cast<std::uint64_t>(n);
  const std::uint64_t limit = range * (UINT64_MAX / range);  // a multiple of n: no bias
  std::uint64_t draw = bits();
  while (draw >= limit) {
    draw = bits();
  }
  return static_cast<Index>(draw % range);
}

std::vector<Index> Rng::permutation(Index n) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  shuffle(order);
  return order;
}

}  // namespace tyto
