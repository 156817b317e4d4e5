// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/local_density.hpp"

#include <algorithm>
#include <cmath>

#include "tyto/core/parallel.hpp"
#include "tyto/math/neighbours.hpp"

namespace tyto {

namespace {

constexpr double kLeastReach = 1e-10;  // among equal rows the density stays finite

// Of the neighbours of row i, at most `k` and none that is `self`.
template <class Visit>
void each_neighbour(const Neighbours& found, Index i, Index k, Index self, const Visit& visit) {
  Index given = 0;
  for (Index j = 0; j < found.row.cols() && given < k; ++j) {
    if (found.row(i, j) != self) {
      visit(Index{found.row(i, j)}, std::sqrt(static_cast<double>(found.distance(i, j))));
      ++given;
    }
  }
}

}  // namespace

LocalDensity::LocalDensity(Matrix rows, Index k)
    : rows_(std::move(rows)), k_(std::min(k, std::max<Index>(1, rows_.rows() - 1))) {
  const Index n = rows_.rows();
  reach_.setZero(n, 1);
  density_.setConstant(n, 1, 1.0F);
  if (n < 2) {
    return;
  }
  const Neighbours found = nearest_rows(rows_, rows_, k_ + 1);
  for (Index i = 0; i < n; ++i) {
    each_neighbour(found, i, k_, i,
                   [&](Index, double distance) { reach_(i, 0) = static_cast<float>(distance); });
  }
  for (Index i = 0; i < n; ++i) {
    double sum = 0.0;
    each_neighbour(found, i, k_, i, [&](Index row, double distance) {
      sum += std::max<double>(distance, reach_(row, 0));
    });
    density_(i, 0) = static_cast<float>(1.0 / (sum / static_cast<double>(k_) + kLeastReach));
  }
}

Vector LocalDensity::factors(const MatrixView& rows) const {
  const Neighbours found = nearest_rows(rows, rows_, k_);
  Vector out(rows.rows());
  for_each_index(rows.rows(), [&](Index i) {
    double reach = 0.0;
    double density = 0.0;
    each_neighbour(found, i, k_, -1, [&](Index row, double distance) {
      reach += std::max<double>(distance, reach_(row, 0));
      density += static_cast<double>(density_(row, 0));
    });
    const auto k = static_cast<double>(k_);
    out[i] = static_cast<float>(density / k * (reach / k + kLeastReach));
  });
  return out;
}

void LocalDensity::save(State& state) const {
  state.set("rows", rows_);
  state.set("reach", reach_);
  state.set("density", density_);
  state.set("k", std::int64_t{k_});
}

void LocalDensity::load(const State& state) {
  rows_ = state.get<Matrix>("rows");
  reach_ = state.get<Matrix>("reach");
  density_ = state.get<Matrix>("density");
  k_ = state.get<std::int64_t>("k");
}

}  // namespace tyto
