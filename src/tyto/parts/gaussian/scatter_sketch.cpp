// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/gaussian/scatter_sketch.hpp"

#include <cmath>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/eigen_symmetric.hpp"

namespace tyto {

namespace {

constexpr Index kSketchedRows =
    128;  // rows per turn: the eigenvalues of a turn cost O((r + block)^3)

// At most `rank` rows with nearly the same A'A: the strongest orthogonal directions of A's rows.
Dense<double> strongest(const Dense<double>& a, Index rank) {
  const bool few = a.rows() <= a.cols();
  const Spectrum spectrum = eigen_symmetric(few ? Eigen::MatrixXd(a * a.transpose())
                                                : Eigen::MatrixXd(a.transpose() * a));
  // Directions below the rounding of the largest are noise; a zero scatter has none at all.
  const double least = spectrum.values.size() > 0 ? spectrum.values[0] * 1e-14 : 0.0;
  Index kept = 0;
  while (kept < std::min(rank, spectrum.values.size()) && spectrum.values[kept] > least) {
    ++kept;
  }
  if (few) {
    return spectrum.vectors.leftCols(kept).transpose() * a;
  }
  const Eigen::VectorXd lengths = spectrum.values.head(kept).cwiseSqrt();
  return lengths.asDiagonal() * spectrum.vectors.leftCols(kept).transpose();
}

}  // namespace

void ScatterSketch::add(const MatrixView& rows, Index rank) {
  in_blocks(rows.rows(), kSketchedRows,
            [&](Index begin, Index count) { add_block(rows.middleRows(begin, count), rank); });
}

void ScatterSketch::add_block(const MatrixView& rows, Index rank) {
  const Index d = rows.cols();
  if (count_ == 0) {
    mean_.setZero(d);
    rest_.setZero(d);
    basis_.resize(0, d);
  }
  TYTO_ASSERT(mean_.size() == d);
  const Index old = basis_.rows();
  Dense<double> all(old + rows.rows() + 1, d);
  all.topRows(old) = basis_.cast<double>();
  const auto before = static_cast<double>(count_);
  const auto added = static_cast<double>(rows.rows());
  const Eigen::RowVectorXd block_mean = rows.cast<double>().colwise().mean();
  all.middleRows(old, rows.rows()) = rows.cast<double>().rowwise() - block_mean;
  const Eigen::RowVectorXd step =
      count_ == 0 ? Eigen::RowVectorXd(block_mean) : block_mean - mean_.transpose();
  // The way between the mean so far and the block's: the second term of Chan's update.
  all.bottomRows(1) = step * std::sqrt(before * added / (before + added));
  mean_ += step.transpose() * (added / (before + added));
  count_ += rows.rows();
  basis_ = strongest(all, rank).cast<float>();
  // What was cut off, and the rounding of the basis, leaves its diagonal behind.
  const Eigen::RowVectorXd lost =
      all.colwise().squaredNorm() - basis_.cast<double>().colwise().squaredNorm();
  rest_ += lost.transpose().cwiseMax(0.0);
}

Eigen::VectorXd ScatterSketch::diagonal() const {
  return rest_ + basis_.cast<double>().colwise().squaredNorm().transpose();
}

void ScatterSketch::save(std::span<const ScatterSketch> sketches, State& state) {
  const auto n = static_cast<Index>(sketches.size());
  const Index d = n == 0 ? 0 : sketches.front().mean_.size();
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> ranks;
  Index total = 0;
  for (const ScatterSketch& sketch : sketches) {
    counts.push_back(sketch.count_);
    ranks.push_back(sketch.basis_.rows());
    total += sketch.basis_.rows();
  }
  Dense<double> means(n, d);
  Dense<double> rests(n, d);
  Matrix bases(total, d);
  Index row = 0;
  for (Index k = 0; k < n; ++k) {
    const ScatterSketch& sketch = sketches[static_cast<std::size_t>(k)];
    means.row(k) = sketch.mean_.transpose();
    rests.row(k) = sketch.rest_.transpose();
    bases.middleRows(row, sketch.basis_.rows()) = sketch.basis_;
    row += sketch.basis_.rows();
  }
  state.set("counts", std::move(counts));
  state.set("ranks", std::move(ranks));
  state.set("means", std::move(means));
  state.set("rests", std::move(rests));
  state.set("bases", std::move(bases));
}

std::vector<ScatterSketch> ScatterSketch::loaded(const State& state) {
  const auto& counts = state.get<std::vector<std::int64_t>>("counts");
  const auto& ranks = state.get<std::vector<std::int64_t>>("ranks");
  const auto& means = state.get<Dense<double>>("means");
  const auto& rests = state.get<Dense<double>>("rests");
  const auto& bases = state.get<Matrix>("bases");
  std::vector<ScatterSketch> sketches(counts.size());
  Index row = 0;
  for (std::size_t k = 0; k < sketches.size(); ++k) {
    ScatterSketch& sketch = sketches[k];
    sketch.count_ = counts[k];
    sketch.mean_ = means.row(static_cast<Index>(k)).transpose();
    sketch.rest_ = rests.row(static_cast<Index>(k)).transpose();
    sketch.basis_ = bases.middleRows(row, ranks.at(k));
    row += ranks[k];
  }
  return sketches;
}

}  // namespace tyto
