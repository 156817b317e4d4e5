// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/classifier/released_slda.hpp"

#include <algorithm>
#include <cmath>

#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kReleasedRows = 2048;  // bounds the copy in double

}  // namespace

void ReleasedSldaMoments::add(const MatrixView& rows, std::span<const std::int32_t> keys) {
  if (sum_.size() == 0) {
    sum_.setZero(rows.cols(), rows.cols());
  }
  in_blocks(rows.rows(), kReleasedRows, [&](Index begin, Index count) {
    Eigen::MatrixXd deviations = rows.middleRows(begin, count).transpose().cast<double>();
    for (Index i = 0; i < count; ++i) {
      Class& known = classes_[keys[at(begin + i)]];
      if (known.count == 0) {
        known.mean.setZero(rows.cols());
      }
      auto deviation = deviations.col(i);
      deviation -= known.mean;
      known.mean += deviation / static_cast<double>(known.count + 1);
      ++known.count;
      const auto before = static_cast<double>(count_++);
      deviation *= std::sqrt(before / (before + 1.0));
    }
    sum_.selfadjointView<Eigen::Lower>().rankUpdate(deviations);
  });
}

std::vector<std::int32_t> ReleasedSldaMoments::keys() const {
  std::vector<std::int32_t> keys;
  for (const auto& [key, known] : classes_) {
    keys.push_back(key);
  }
  return keys;
}

std::vector<Index> ReleasedSldaMoments::counts() const {
  std::vector<Index> counts;
  for (const auto& [key, known] : classes_) {
    counts.push_back(known.count);
  }
  return counts;
}

Dense<double> ReleasedSldaMoments::means() const {
  Dense<double> means(std::ssize(classes_), sum_.rows());
  Index row = 0;
  for (const auto& [key, known] : classes_) {
    means.row(row++) = known.mean.transpose();
  }
  return means;
}

Eigen::MatrixXd ReleasedSldaMoments::covariance() const {
  const Eigen::MatrixXd whole = sum_.selfadjointView<Eigen::Lower>();
  return whole / static_cast<double>(std::max<Index>(1, count_));
}

void ReleasedSldaMoments::save(State& state) const {
  const auto class_keys = keys();
  const auto class_counts = counts();
  state.set("keys", std::vector<std::int64_t>(class_keys.begin(), class_keys.end()));
  state.set("counts", std::vector<std::int64_t>(class_counts.begin(), class_counts.end()));
  state.set("means", means());
  state.set("sum", Dense<double>(sum_));
}

void ReleasedSldaMoments::load(const State& state) {
  const auto& class_keys = state.get<std::vector<std::int64_t>>("keys");
  const auto& class_counts = state.get<std::vector<std::int64_t>>("counts");
  const auto& class_means = state.get<Dense<double>>("means");
  sum_ = state.get<Dense<double>>("sum");
  count_ = 0;
  classes_.clear();
  for (std::size_t i = 0; i < class_keys.size(); ++i) {
    const auto count = static_cast<Index>(class_counts.at(i));
    classes_[static_cast<std::int32_t>(class_keys[i])] = {
        count, class_means.row(static_cast<Index>(i)).transpose()};
    count_ += count;
  }
}

}  // namespace tyto
