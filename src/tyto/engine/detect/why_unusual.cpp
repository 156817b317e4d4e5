// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/detect/why_unusual.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tyto {

namespace {

constexpr Index kLikeIt = 5;
constexpr float kWidestGap = 3.0F;
constexpr std::uint32_t kExplainedId = 0xC0000000U;  // none that was learned or scored

Eigen::RowVectorXf deviations_of(const Matrix& rows) {
  const Eigen::RowVectorXd mean = rows.cast<double>().colwise().mean();
  const Eigen::RowVectorXd squares =
      (rows.cast<double>().rowwise() - mean).array().square().colwise().mean();
  Eigen::RowVectorXf out = squares.cwiseSqrt().cast<float>();
  for (Index c = 0; c < out.size(); ++c) {
    out[c] = out[c] > 0.0F ? out[c] : 1.0F;
  }
  return out;
}

// The mean of the training rows like this one.
Eigen::RowVectorXf usual_values(const Matrix& training, const Eigen::RowVectorXf& deviation,
                                const Eigen::RowVectorXf& row) {
  std::vector<float> gap(at(training.rows()));
  for (Index i = 0; i < training.rows(); ++i) {
    gap[at(i)] = ((training.row(i) - row).array() / deviation.array()).abs().min(kWidestGap).sum();
  }
  std::vector<Index> order(gap.size());
  std::iota(order.begin(), order.end(), Index{0});
  const Index near = std::min<Index>(kLikeIt, training.rows());
  std::partial_sort(order.begin(), order.begin() + near, order.end(), [&](Index a, Index b) {
    return gap[at(a)] != gap[at(b)] ? gap[at(a)] < gap[at(b)] : a < b;
  });
  Eigen::RowVectorXf mean = Eigen::RowVectorXf::Zero(training.cols());
  for (Index k = 0; k < near; ++k) {
    mean += training.row(order[at(k)]);
  }
  return mean / static_cast<float>(near);
}

}  // namespace

std::vector<std::vector<UnusualColumn>> why_unusual(const Composition& predictor,
                                                    const TrainingRows& training,
                                                    const Matrix& rows, std::size_t most) {
  ColumnGroups single(at(rows.cols()));
  for (Index c = 0; c < rows.cols(); ++c) {
    single[at(c)] = {c};
  }
  return why_unusual(predictor, training, rows, single, most);
}

std::vector<std::vector<UnusualColumn>> why_unusual(const Composition& predictor,
                                                    const TrainingRows& training,
                                                    const Matrix& rows, const ColumnGroups& groups,
                                                    std::size_t most) {
  const Eigen::RowVectorXf deviation = deviations_of(training.rows);
  std::vector<std::vector<UnusualColumn>> out;
  for (Index i = 0; i < rows.rows(); ++i) {
    const Eigen::RowVectorXf usual = usual_values(training.rows, deviation, rows.row(i));
    const Eigen::RowVectorXf own = rows.row(i);
    Matrix changed = own.replicate(std::ssize(groups) + 1, 1);  // the last as it is
    for (Index g = 0; g < std::ssize(groups); ++g) {
      changed.row(g)(groups[at(g)]) = usual(groups[at(g)]);
    }
    const auto novelty =
        predictor.predict(samples_of(changed, training.columns, kExplainedId, Lifetime::lent))
            .novelty;
    std::vector<UnusualColumn> columns;
    double falls = 0;
    for (Index g = 0; g < std::ssize(groups); ++g) {
      const double fall = static_cast<double>(novelty.back()) - novelty[at(g)];
      if (fall > 0.0) {
        columns.push_back({g, own(groups[at(g)]).mean(), usual(groups[at(g)]).mean(), fall});
        falls += fall;
      }
    }
    std::stable_sort(
        columns.begin(), columns.end(),
        [](const UnusualColumn& a, const UnusualColumn& b) { return a.share > b.share; });
    for (UnusualColumn& column : columns) {
      column.share /= falls;
    }
    columns.resize(std::min(columns.size(), most));
    out.push_back(std::move(columns));
  }
  return out;
}

}  // namespace tyto
