// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/feedback/farthest_first.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"

namespace tyto {

namespace {

constexpr float kTaken = -1.0F;

void move_nearer(const MatrixView& rows, Index pick, Vector& nearest) {
  const Index stride = rows.outerStride();
  const float* centre = rows.data() + pick * stride;
  share_loop(rows.rows(), rows.cols(), [&](Index i) {
    if (nearest[i] != kTaken) {
      nearest[i] =
          std::min(nearest[i], squared_distance(centre, rows.data() + i * stride, rows.cols()));
    }
  });
}

}  // namespace

Index medoid(const MatrixView& rows) {
  TYTO_ASSERT(rows.rows() > 0);
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    mean += rows.row(i).cast<double>();
  }
  mean /= static_cast<double>(rows.rows());
  Index best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < rows.rows(); ++i) {
    const double distance = (rows.row(i).cast<double>() - mean).squaredNorm();
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  return best;
}

std::vector<Index> farthest_first(const MatrixView& rows, Vector nearest, Index picks) {
  const Index n = rows.rows();
  std::vector<Index> order;
  if (n == 0) {
    return order;
  }
  const auto take = [&](Index row) {
    order.push_back(row);
    nearest[row] = kTaken;
    move_nearer(rows, row, nearest);
  };
  if (nearest.size() == 0) {
    nearest = Vector::Constant(n, std::numeric_limits<float>::infinity());
    take(medoid(rows));
  }
  while (static_cast<Index>(order.size()) < std::min(picks, n)) {
    heed_interrupts();
    Index furthest = 0;
    nearest.maxCoeff(&furthest);  // the first of equals
    take(furthest);
  }
  std::vector<Index> rest;
  for (Index i = 0; i < n; ++i) {
    if (nearest[i] != kTaken) {
      rest.push_back(i);
    }
  }
  std::stable_sort(rest.begin(), rest.end(),
                   [&](Index a, Index b) { return nearest[a] > nearest[b]; });
  order.insert(order.end(), rest.begin(), rest.end());
  return order;
}

}  // namespace tyto
