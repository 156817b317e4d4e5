// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/class_scatters.hpp"

#include <algorithm>
#include <cmath>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

// visit(column, at, length): where each column of a packed lower triangle lies.
template <class Visit>
void each_packed_column(Index width, const Visit& visit) {
  Index at = 0;
  for (Index j = 0; j < width; ++j) {
    visit(j, at, width - j);
    at += width - j;
  }
}

}  // namespace

void ClassScatters::add(std::int32_t key, const MatrixView& rows) {
  if (rows.rows() == 0) {
    return;
  }
  if (count_ == 0) {
    width_ = rows.cols();
  }
  TYTO_ASSERT(rows.cols() == width_);
  const auto added = static_cast<double>(rows.rows());
  // Rows about their own mean, and a column for the way between the mean so far and this one.
  Eigen::MatrixXd deviations(width_, rows.rows() + 1);
  deviations.leftCols(rows.rows()) = rows.transpose().cast<double>();
  const Eigen::VectorXd mean = deviations.leftCols(rows.rows()).rowwise().sum() / added;
  deviations.leftCols(rows.rows()).colwise() -= mean;
  Class& known = classes_[key];
  if (known.count == 0) {
    known.mean = mean;
    known.scatter.setZero(width_ * (width_ + 1) / 2);
    deviations.rightCols(1).setZero();
  } else {
    const auto before = static_cast<double>(known.count);
    const Eigen::VectorXd step = mean - known.mean;
    deviations.rightCols(1) = step * std::sqrt(before * added / (before + added));
    known.mean += step * (added / (before + added));
  }
  known.count += rows.rows();
  count_ += rows.rows();
  Eigen::MatrixXd scatter = unpacked(known.scatter);
  scatter.selfadjointView<Eigen::Lower>().rankUpdate(deviations);
  each_packed_column(width_, [&](Index j, Index at, Index length) {
    known.scatter.segment(at, length) = scatter.col(j).tail(length);
  });
}

std::vector<std::int32_t> ClassScatters::keys() const {
  std::vector<std::int32_t> keys;
  for (const auto& [key, known] : classes_) {
    keys.push_back(key);
  }
  return keys;
}

Eigen::MatrixXd ClassScatters::covariance(std::int32_t key) const {
  const Class& known = classes_.at(key);
  const Eigen::MatrixXd lower = unpacked(known.scatter);
  const Eigen::MatrixXd whole = lower.selfadjointView<Eigen::Lower>();
  return whole / static_cast<double>(std::max<Index>(1, known.count - 1));
}

double ClassScatters::total_variance(std::int32_t key) const {
  const Class& known = classes_.at(key);
  double sum = 0.0;
  each_packed_column(width_, [&](Index, Index at, Index) { sum += known.scatter[at]; });
  return sum / static_cast<double>(std::max<Index>(1, known.count - 1));
}

Eigen::MatrixXd ClassScatters::pooled_covariance() const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(width_ * (width_ + 1) / 2);
  for (const auto& [key, known] : classes_) {
    sum += known.scatter;
  }
  const Eigen::MatrixXd lower = unpacked(sum);
  const Eigen::MatrixXd whole = lower.selfadjointView<Eigen::Lower>();
  return whole / static_cast<double>(std::max<Index>(1, count_ - classes()));
}

Eigen::MatrixXd ClassScatters::unpacked(const Eigen::VectorXd& triangle) const {
  Eigen::MatrixXd lower = Eigen::MatrixXd::Zero(width_, width_);
  each_packed_column(width_, [&](Index j, Index at, Index length) {
    lower.col(j).tail(length) = triangle.segment(at, length);
  });
  return lower;
}

void ClassScatters::save(State& state) const {
  std::vector<std::int64_t> class_keys;
  std::vector<std::int64_t> counts;
  Dense<double> means(classes(), width_);
  Dense<double> scatters(classes(), width_ * (width_ + 1) / 2);
  for (const auto& [key, known] : classes_) {
    const auto row = static_cast<Index>(class_keys.size());
    means.row(row) = known.mean.transpose();
    scatters.row(row) = known.scatter.transpose();
    class_keys.push_back(key);
    counts.push_back(known.count);
  }
  state.set("keys", std::move(class_keys));
  state.set("counts", std::move(counts));
  state.set("means", std::move(means));
  state.set("scatters", std::move(scatters));
}

void ClassScatters::load(const State& state) {
  const auto& class_keys = state.get<std::vector<std::int64_t>>("keys");
  const auto& counts = state.get<std::vector<std::int64_t>>("counts");
  const auto& means = state.get<Dense<double>>("means");
  const auto& scatters = state.get<Dense<double>>("scatters");
  width_ = means.cols();
  count_ = 0;
  classes_.clear();
  for (std::size_t i = 0; i < class_keys.size(); ++i) {
    const auto row = static_cast<Index>(i);
    classes_[static_cast<std::int32_t>(class_keys[i])] = {counts.at(i), means.row(row).transpose(),
                                                          scatters.row(row).transpose()};
    count_ += counts.at(i);
  }
}

}  // namespace tyto
