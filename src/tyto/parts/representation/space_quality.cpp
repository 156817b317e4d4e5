// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/representation/space_quality.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "tyto/core/error.hpp"
#include "tyto/math/all_finite.hpp"
#include "tyto/math/distances.hpp"

namespace tyto {

namespace {

// Widths of the kernel, in units of how much farther the sixth row is than the nearest.
constexpr std::array kWidths{0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8};
constexpr Index kUnitNeighbour = 5;  // from 0
constexpr Index kNearest = 3;        // whose distance tells the new from the known
constexpr double kFloor = 1e-4;      // of a probability: one row alone decides nothing

// What one row has of a nearest few, smallest first.
std::vector<float> nearest(const Matrix& distances, Index row, Index count) {
  std::vector<float> all(distances.row(row).begin(), distances.row(row).end());
  const auto some = static_cast<std::size_t>(std::min<Index>(count, std::ssize(all)));
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(some), all.end());
  all.resize(some);
  return all;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Of the classes of left-out rows, where these are known.
double likelihood(const Matrix& distances, std::span<const Label> labels,
                  std::span<const Label> their_labels) {
  std::vector<double> gaps;
  for (Index i = 0; i < distances.rows(); ++i) {
    const std::vector<float> few = nearest(distances, i, kUnitNeighbour + 1);
    gaps.push_back(double{few.back()} - double{few.front()});
  }
  const double gap = median(std::move(gaps));
  const double unit = gap > 0.0 ? gap : 1.0;
  std::array<double, kWidths.size()> sums{};
  Index named = 0;
  for (Index i = 0; i < distances.rows(); ++i) {
    const Label truth = their_labels[static_cast<std::size_t>(i)];
    if (std::find(labels.begin(), labels.end(), truth) == labels.end()) {
      continue;
    }
    const double least = distances.row(i).minCoeff();
    for (std::size_t w = 0; w < kWidths.size(); ++w) {
      double all = 0.0;
      double right = 0.0;
      for (Index j = 0; j < distances.cols(); ++j) {
        const double weight = std::exp((least - double{distances(i, j)}) / (kWidths[w] * unit));
        all += weight;
        right += labels[static_cast<std::size_t>(j)] == truth ? weight : 0.0;
      }
      sums[w] += std::log((1.0 - kFloor) * right / all + kFloor);
    }
    ++named;
  }
  const double best = *std::max_element(sums.begin(), sums.end());
  return named > 0 ? std::exp(best / static_cast<double>(named)) : 0.5;
}

// Of rows of unknown classes after those of known ones; pairs that are equally far count half.
double order(const Matrix& distances, const std::vector<bool>& known) {
  std::vector<std::pair<float, bool>> rows;
  for (Index i = 0; i < distances.rows(); ++i) {
    float sum = 0.0F;
    for (const float distance : nearest(distances, i, kNearest)) {
      sum += distance;
    }
    rows.emplace_back(sum, known[static_cast<std::size_t>(i)]);
  }
  std::sort(rows.begin(), rows.end());
  double known_before = 0.0;
  double right = 0.0;
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin;
    double known_here = 0.0;
    for (; end < rows.size() && rows[end].first == rows[begin].first; ++end) {
      known_here += rows[end].second ? 1.0 : 0.0;
    }
    const double novel_here = static_cast<double>(end - begin) - known_here;
    right += novel_here * (known_before + known_here / 2.0);
    known_before += known_here;
    begin = end;
  }
  const double pairs = known_before * (static_cast<double>(rows.size()) - known_before);
  return pairs > 0.0 ? right / pairs : 0.5;
}

}  // namespace

double space_quality(const Matrix& fitted, std::span<const Label> labels, const Matrix& left_out,
                     std::span<const Label> their_labels) {
  TYTO_ASSERT(fitted.rows() > 0 && left_out.rows() > 0);
  const auto centre = fitted.colwise().mean().eval();  // or differences of large numbers cancel
  const Matrix distances =
      squared_distances(left_out.rowwise() - centre, fitted.rowwise() - centre);
  if (!distances.allFinite() || !all_finite(fitted) || !all_finite(left_out)) {
    return 0.0;  // a space that loses rows serves nobody
  }
  const std::set<Label> classes(labels.begin(), labels.end());
  std::vector<bool> known;
  for (const Label label : their_labels) {
    known.push_back(classes.contains(label));
  }
  const double likely = classes.size() > 1 ? likelihood(distances, labels, their_labels) : 0.5;
  return (likely + order(distances, known)) / 2.0;
}

}  // namespace tyto
