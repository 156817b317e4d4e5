// SPDX-License-Identifier: Apache-2.0
// Probability by steps: a value for each interval of the probability given.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct Steps {
  std::vector<double> upper;  // ends of the intervals, (low, high], the last 1
  std::vector<double> value;  // mean outcome; the middle of an interval without samples
  std::vector<Index> count;
  std::vector<double> hits;

  [[nodiscard]] std::size_t index_of(double p) const;
};

// i / bins.
std::vector<double> even_edges(Index bins);

// Between runs of equal mass of the sorted values, half way; equal ones once.
std::vector<double> mass_edges(std::vector<double> values, Index bins);

Steps fit_steps(std::span<const double> p, std::span<const std::uint8_t> hit,
                std::vector<double> upper);

// A step or block of few samples may say 0 or 1, and the loss be infinite: no nearer to them than
// 1 / (n + 2), unless p itself was.
double held_back(double value, double p, Index samples);

std::vector<double> probabilities_of(std::span<const double> log_odds);

}  // namespace tyto
