// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/increments/dissimilarity.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tyto/math/neighbours.hpp"
#include "tyto/math/unit_rows.hpp"
#include "tyto/record/observed_columns.hpp"
#include "tyto/world/increments/increment_world.hpp"

namespace tyto {

namespace {

constexpr std::string_view kCosine = "cosine";

// Rows of zeros would seem near in Euclidean terms.
Matrix without_zeros(const Matrix& rows) {
  Matrix kept(rows.rows(), rows.cols());
  Index count = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (!rows.row(i).isZero(0)) {
      kept.row(count++) = rows.row(i);
    }
  }
  return kept.topRows(count);
}

}  // namespace

std::vector<double> nearest_dissimilarity(const MatrixView& rows, const std::vector<Matrix>& blocks,
                                          std::string_view kind) {
  const bool by_angle = kind == kCosine;
  NearestK nearest(by_angle ? unit_rows(rows) : Matrix(rows), 1);
  Index seen = 0;
  for (const Matrix& block : blocks) {
    const Matrix references = by_angle ? unit_rows(without_zeros(block)) : block;
    if (references.rows() > 0) {
      nearest.add(references, seen);
    }
    seen += references.rows();
  }
  std::vector<double> out(at(rows.rows()), 1.0);
  if (seen == 0) {
    return out;  // nothing but zeros before
  }
  const Neighbours found = nearest.result();
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto squared = static_cast<double>(found.distance(i, 0));
    if (!by_angle) {
      out[at(i)] = std::sqrt(squared);
    } else if (!rows.row(i).isZero(0)) {
      out[at(i)] = squared / 2;
    }
  }
  return out;
}

void add_dissimilarity(IncrementPlan& plan, std::string_view kind) {
  if (kind == kDissimilarityKinds.front()) {
    return;
  }
  std::vector<std::string>& told = plan.truth.annotations[std::string(kDissimilarityColumn)];
  told.assign(plan.truth.label.size(), "");
  std::vector<Matrix> before;
  for (Index step = 0; step < plan.schedule.size(); ++step) {
    std::vector<Matrix> shown;
    for (const ScheduledSplit& split : plan.schedule.increments[at(step)].splits) {
      const Samples samples = shown_samples(plan, split, step);
      if (samples.empty()) {
        continue;
      }
      shown.push_back(samples.rows());
      if (step == 0) {
        continue;
      }
      const std::vector<double> values = nearest_dissimilarity(shown.back(), before, kind);
      for (Index i = 0; i < samples.size(); ++i) {
        told[static_cast<std::size_t>(samples.id(i))] = fmt::format("{:.6g}", values[at(i)]);
      }
    }
    std::move(shown.begin(), shown.end(), std::back_inserter(before));
  }
}

}  // namespace tyto
