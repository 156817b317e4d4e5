// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/detect/column_shift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tyto {

namespace {

constexpr double kChance = 1e-3;
constexpr double kLeastGap = 0.1;  // with many rows a gap that matters to nobody is no chance

std::vector<float> sorted_column(const Matrix& rows, Index column) {
  std::vector<float> values(at(rows.rows()));
  for (Index i = 0; i < rows.rows(); ++i) {
    values[at(i)] = rows(i, column);
  }
  std::sort(values.begin(), values.end());
  return values;
}

// Equal values are passed together, so that ties widen no gap.
double widest_gap(const std::vector<float>& a, const std::vector<float>& b) {
  double gap = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const float value = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == value) {
      ++i;
    }
    while (j < b.size() && b[j] == value) {
      ++j;
    }
    gap = std::max(gap, std::abs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                 static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return gap;
}

// The limit law with Stephens's correction for few rows.
double chance_of_gap(double gap, Index n, Index m) {
  const double effective =
      std::sqrt(static_cast<double>(n) * static_cast<double>(m) / static_cast<double>(n + m));
  const double lambda = (effective + 0.12 + 0.11 / effective) * gap;
  double sum = 0;
  for (int k = 1; k <= 100; ++k) {
    const double term = std::exp(-2.0 * k * k * lambda * lambda);
    sum += k % 2 == 1 ? term : -term;
    if (term < 1e-12) {
      return std::clamp(2.0 * sum, 0.0, 1.0);
    }
  }
  return 1.0;  // so small a gap that the series does not settle
}

}  // namespace

std::vector<ColumnShift> shifted_columns(const Matrix& before, const Matrix& now) {
  std::vector<ColumnShift> out;
  if (before.rows() == 0 || now.rows() == 0) {
    return out;
  }
  for (Index c = 0; c < before.cols(); ++c) {
    const std::vector<float> a = sorted_column(before, c);
    const std::vector<float> b = sorted_column(now, c);
    ColumnShift shift{c, widest_gap(a, b), 1.0, a[a.size() / 2], b[b.size() / 2]};
    shift.p_value = std::min(1.0, chance_of_gap(shift.distance, before.rows(), now.rows()) *
                                      static_cast<double>(before.cols()));
    if (shift.p_value < kChance && shift.distance >= kLeastGap) {
      out.push_back(shift);
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const ColumnShift& x, const ColumnShift& y) {
    return x.distance > y.distance;
  });
  return out;
}

}  // namespace tyto
