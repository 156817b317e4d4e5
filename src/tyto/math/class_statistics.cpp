// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/class_statistics.hpp"

#include <cmath>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kBlock = 2048;  // bounds the copy in double

}  // namespace

void ClassStatistics::add(const MatrixView& rows, std::span<const std::int32_t> keys) {
  TYTO_ASSERT(rows.rows() == static_cast<Index>(keys.size()));
  in_blocks(rows.rows(), kBlock, [&](Index begin, Index count) {
    add_block(rows.middleRows(begin, count),
              keys.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)));
  });
}

void ClassStatistics::add(const MatrixView& rows) {
  add(rows, std::vector<std::int32_t>(static_cast<std::size_t>(rows.rows()), 0));
}

void ClassStatistics::add_block(const MatrixView& rows, std::span<const std::int32_t> keys) {
  if (count_ == 0) {
    width_ = rows.cols();
    scatter_.setZero(width_, kind_ == Scatter::full ? width_ : 1);
  }
  TYTO_ASSERT(rows.cols() == width_);
  std::map<std::int32_t, std::vector<Index>> members;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    members[keys[i]].push_back(static_cast<Index>(i));
  }
  // The block's rows about their own means, then a column per class for the way between the mean so
  // far and the block's: one product adds both terms of Chan's update.
  Eigen::MatrixXd deviations(width_, rows.rows() + static_cast<Index>(members.size()));
  Index column = 0;
  for (const auto& [key, which] : members) {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(width_);
    for (const Index i : which) {
      mean += rows.row(i).transpose().cast<double>();
    }
    const auto added = static_cast<double>(which.size());
    mean /= added;
    for (const Index i : which) {
      deviations.col(column++) = rows.row(i).transpose().cast<double>() - mean;
    }
    Class& known = classes_[key];
    if (known.count == 0) {
      known.mean = mean;
      deviations.col(column++).setZero();
    } else {
      const auto before = static_cast<double>(known.count);
      const Eigen::VectorXd step = mean - known.mean;
      deviations.col(column++) = step * std::sqrt(before * added / (before + added));
      known.mean += step * (added / (before + added));
    }
    known.count += static_cast<Index>(which.size());
  }
  count_ += rows.rows();
  if (kind_ == Scatter::full) {
    scatter_.selfadjointView<Eigen::Lower>().rankUpdate(deviations);
  } else {
    for (Index j = 0; j < deviations.cols(); ++j) {
      scatter_.col(0).array() += deviations.col(j).array().square();
    }
  }
}

std::vector<std::int32_t> ClassStatistics::keys() const {
  std::vector<std::int32_t> keys;
  for (const auto& [key, known] : classes_) {
    keys.push_back(key);
  }
  return keys;
}

std::vector<Index> ClassStatistics::counts() const {
  std::vector<Index> counts;
  for (const auto& [key, known] : classes_) {
    counts.push_back(known.count);
  }
  return counts;
}

Dense<double> ClassStatistics::means() const {
  Dense<double> means(classes(), width_);
  Index row = 0;
  for (const auto& [key, known] : classes_) {
    means.row(row++) = known.mean.transpose();
  }
  return means;
}

Eigen::VectorXd ClassStatistics::diagonal() const {
  return kind_ == Scatter::full ? Eigen::VectorXd(scatter_.diagonal())
                                : Eigen::VectorXd(scatter_.col(0));
}

double ClassStatistics::freedom() const {
  return count_ > classes() ? static_cast<double>(count_ - classes()) : 1.0;
}

Eigen::MatrixXd ClassStatistics::covariance() const {
  TYTO_ASSERT(kind_ == Scatter::full);
  Eigen::MatrixXd out = scatter_.selfadjointView<Eigen::Lower>();
  return out / freedom();
}

double ClassStatistics::variance() const {
  return width_ == 0 ? 0.0 : diagonal().sum() / (freedom() * static_cast<double>(width_));
}

void ClassStatistics::save(State& state) const {
  const auto class_keys = keys();
  const auto class_counts = counts();
  state.set("keys", std::vector<std::int64_t>(class_keys.begin(), class_keys.end()));
  state.set("counts", std::vector<std::int64_t>(class_counts.begin(), class_counts.end()));
  state.set("means", means());
  state.set("scatter", Dense<double>(scatter_));
}

void ClassStatistics::load(const State& state) {
  const auto& class_keys = state.get<std::vector<std::int64_t>>("keys");
  const auto& class_counts = state.get<std::vector<std::int64_t>>("counts");
  const auto& class_means = state.get<Dense<double>>("means");
  scatter_ = state.get<Dense<double>>("scatter");
  width_ = scatter_.rows();
  count_ = 0;
  classes_.clear();
  for (std::size_t i = 0; i < class_keys.size(); ++i) {
    const Index count = class_counts.at(i);
    classes_[static_cast<std::int32_t>(class_keys[i])] = {
        count, class_means.row(static_cast<Index>(i)).transpose()};
    count_ += count;
  }
}

}  // namespace tyto
