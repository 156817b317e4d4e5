// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/activation_shaping.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tyto/parts/detector/head_inputs.hpp"

namespace tyto {

std::vector<Index> largest_activations(std::span<const double> row, double keep) {
  const auto width = static_cast<Index>(row.size());
  const auto dropped = static_cast<Index>(std::lround(static_cast<double>(width) * (1.0 - keep)));
  const Index kept = std::clamp<Index>(width - dropped, 1, width);
  std::vector<Index> columns(row.size());
  std::iota(columns.begin(), columns.end(), Index{0});
  std::nth_element(columns.begin(), columns.begin() + (kept - 1), columns.end(),
                   [&](Index a, Index b) {
                     return row[at(a)] > row[at(b)] || (row[at(a)] == row[at(b)] && a < b);
                   });
  columns.resize(at(kept));
  return columns;
}

double sum_above_zero(std::span<const double> row) {
  double sum = 0.0;
  for (const double value : row) {
    sum += std::max(0.0, value);
  }
  return sum;
}

void score_by_energy(Evidence& evidence, const Dense<double>& shaped) {
  evidence.novelty.resize(static_cast<std::size_t>(shaped.rows()));
  if (shaped.rows() == 0) {
    return;
  }
  const LinearHead head = known_head(evidence);
  if (head.weight.rows() == 0) {
    throw Error(ErrorKind::state,
                "a detector by energy needs a classifier that knows at least one class");
  }
  Dense<double> logits = shaped * head.weight.cast<double>().transpose();
  logits.rowwise() += head.bias.row(0).cast<double>();
  for (Index i = 0; i < logits.rows(); ++i) {
    const double most = logits.row(i).maxCoeff();
    evidence.novelty[at(i)] =
        static_cast<float>(-most - std::log((logits.row(i).array() - most).exp().sum()));
  }
}

}  // namespace tyto
