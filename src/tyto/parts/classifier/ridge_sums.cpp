// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/classifier/ridge_sums.hpp"

#include <cmath>

#include <Eigen/Cholesky>

#include "tyto/core/error.hpp"
#include "tyto/math/eigen_symmetric.hpp"

namespace tyto {

void RidgeSums::add(const Matrix& rows, std::span<const Label> labels) {
  const Index m = rows.cols();
  if (gram.size() == 0) {
    gram.setZero(m, m);
  }
  const Eigen::MatrixXd columns = rows.transpose().cast<double>();
  gram.selfadjointView<Eigen::Lower>().rankUpdate(columns);
  for (Index i = 0; i < rows.rows(); ++i) {
    auto& sum = by_class[static_cast<std::int32_t>(labels[at(i)])];
    if (sum.size() == 0) {
      sum.setZero(m);
    }
    sum += columns.col(i);
  }
  count += rows.rows();
}

std::vector<Label> RidgeSums::classes() const {
  std::vector<Label> labels;
  for (const auto& [key, sum] : by_class) {
    labels.push_back(static_cast<Label>(key));
  }
  return labels;
}

Eigen::MatrixXd RidgeSums::targets(std::span<const Label> classes) const {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(gram.rows(), std::ssize(classes));
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const auto found = by_class.find(static_cast<std::int32_t>(classes[c]));
    if (found != by_class.end()) {
      out.col(static_cast<Index>(c)) = found->second;
    }
  }
  return out;
}

RidgeSums RidgeSums::balanced() const {
  RidgeSums out = *this;
  if (by_class.empty()) {
    return out;
  }
  const double share = static_cast<double>(count) / static_cast<double>(by_class.size());
  // More weight for means of small classes, less for those of large ones.
  Eigen::MatrixXd more(gram.rows(), std::ssize(by_class));
  Eigen::MatrixXd less = more;
  Index mores = 0;
  Index lesses = 0;
  for (auto& [key, sum] : out.by_class) {
    const double size = sum[sum.size() - 1];
    const Eigen::VectorXd mean = sum / size;
    if (size < share) {
      more.col(mores++) = mean * std::sqrt(share - size);
    } else {
      less.col(lesses++) = mean * std::sqrt(size - share);
    }
    sum = mean * share;
  }
  out.gram.selfadjointView<Eigen::Lower>().rankUpdate(more.leftCols(mores));
  out.gram.selfadjointView<Eigen::Lower>().rankUpdate(less.leftCols(lesses), -1.0);
  return out;
}

void RidgeSums::save(State& state) const {
  std::vector<std::int64_t> keys;
  Dense<double> sums(std::ssize(by_class), gram.rows());
  for (const auto& [key, sum] : by_class) {
    sums.row(std::ssize(keys)) = sum.transpose();
    keys.push_back(key);
  }
  state.set("gram", Dense<double>(gram));
  state.set("classes", std::move(keys));
  state.set("sums", std::move(sums));
  state.set("count", std::int64_t{count});
}

RidgeSums RidgeSums::loaded(const State& state) {
  RidgeSums out;
  out.gram = state.get<Dense<double>>("gram");
  out.count = state.get<std::int64_t>("count");
  const auto& keys = state.get<std::vector<std::int64_t>>("classes");
  const auto& sums = state.get<Dense<double>>("sums");
  for (std::size_t c = 0; c < keys.size(); ++c) {
    out.by_class[static_cast<std::int32_t>(keys[c])] = sums.row(static_cast<Index>(c)).transpose();
  }
  return out;
}

std::optional<Eigen::MatrixXd> ridge_weights(const Eigen::MatrixXd& gram,
                                             const Eigen::MatrixXd& targets, double strength) {
  Eigen::MatrixXd system = gram;
  system.diagonal().array() += strength;
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(system);
  if (factor.info() != Eigen::Success) {
    return {};
  }
  return factor.solve(targets);
}

double squared_error(const Eigen::MatrixXd& weights, const Eigen::MatrixXd& gram,
                     const Eigen::MatrixXd& targets) {
  const Eigen::MatrixXd moved = gram.selfadjointView<Eigen::Lower>() * weights;
  return weights.cwiseProduct(moved).sum() - 2.0 * weights.cwiseProduct(targets).sum();
}

double least_gcv(const RidgeSums& sums, const Eigen::MatrixXd& targets,
                 std::span<const double> strengths) {
  constexpr double kLeastFreedom = 0.01;
  TYTO_ASSERT(!strengths.empty());
  const Spectrum spectrum = eigen_symmetric(sums.gram);
  const Eigen::ArrayXd values = spectrum.values.array().max(0.0);
  const Eigen::ArrayXd squares =
      (spectrum.vectors.transpose() * targets).rowwise().squaredNorm().array();
  const auto n = static_cast<double>(sums.count);
  double best = strengths.front();
  double least = 0.0;
  bool first = true;
  for (const double strength : strengths) {
    const Eigen::ArrayXd raised = values + strength;
    const double freedom = n - (values / raised).sum();
    if (!first && freedom < kLeastFreedom * n) {
      break;
    }
    const double residual = n - (squares * (raised + strength) / raised.square()).sum();
    const double error = residual / (freedom * freedom);
    if (first || error < least) {
      least = error;
      best = strength;
    }
    first = false;
  }
  return best;
}

}  // namespace tyto
