// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/approximate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/locations.hpp"
#include "tyto/core/files/module_file.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/neighbours.hpp"

namespace tyto {

namespace {

constexpr Index kCandidates = 8;  // measured again, so that ties go to the lower row
constexpr Index kSample = 1000;

const FaissModule& faiss_module() {
  static const FaissModule& module = []() -> const FaissModule& {
    using Factory = const FaissModule* (*)();
    return *reinterpret_cast<Factory>(module_function(
        library_folder() / "libtyto_faiss.so", "tyto_faiss_module", "approximate neighbours"))();
  }();
  return module;
}

}  // namespace

ApproximateNeighbours approximate_neighbours(const MatrixView& rows, Metric metric) {
  const Index n = rows.rows();
  TYTO_ASSERT(n > 1);
  const RowDistance<float> distance(rows, metric);
  const ProductRows points = distance.product_rows();
  // Lists of about sqrt(n) rows; Faiss wants 39 rows to learn each.
  const auto root = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n))));
  const Index lists = std::clamp<Index>(root, 1, std::max<Index>(1, n / 39));
  const Index searched = std::min(lists, std::max<Index>(8, lists / 16));
  const Dense<std::int32_t> found =
      faiss_module().candidates(points.rows, lists, searched, std::min(kCandidates, n));
  ApproximateNeighbours out;
  out.method = fmt::format("Faiss IVF, {} lists, {} searched", lists, searched);
  out.first.row.assign(static_cast<std::size_t>(n), -1);
  out.first.distance.assign(static_cast<std::size_t>(n), std::numeric_limits<double>::infinity());
  for_each_index(n, [&](Index i) {
    std::int32_t& nearest = out.first.row[static_cast<std::size_t>(i)];
    double& least = out.first.distance[static_cast<std::size_t>(i)];
    const auto offer = [&](std::int32_t row) {
      const double measured = distance(i, row);
      if (nearest < 0 || measured < least || (measured == least && row < nearest)) {
        nearest = row;
        least = measured;
      }
    };
    for (Index c = 0; c < found.cols(); ++c) {
      if (found(i, c) >= 0 && found(i, c) != i) {
        offer(found(i, c));
      }
    }
    if (nearest < 0) {  // alone in the lists that were searched
      offer(i == 0 ? 1 : 0);
    }
  });
  out.sample = std::min(kSample, n);
  Matrix picked(out.sample, rows.cols());
  for (Index s = 0; s < out.sample; ++s) {
    picked.row(s) = points.rows.row(s * n / out.sample);
  }
  const Neighbours exact = nearest_rows(picked, points.rows, 2);
  Index right = 0;
  for (Index s = 0; s < out.sample; ++s) {
    const Index row = s * n / out.sample;
    const Index other = exact.row(s, 0) == row ? exact.row(s, 1) : exact.row(s, 0);
    right += out.first.distance[static_cast<std::size_t>(row)] <= distance(row, other) ? 1 : 0;
  }
  out.recall = static_cast<double>(right) / static_cast<double>(out.sample);
  return out;
}

}  // namespace tyto
