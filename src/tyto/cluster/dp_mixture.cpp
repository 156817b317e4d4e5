// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/dp_mixture.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "tyto/cluster/weighted_sums.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kMixtureBlock = 1024;

double digamma(double x) {
  double shift = 0.0;
  for (; x < 10.0; x += 1.0) {
    shift -= 1.0 / x;
  }
  const double inverse = 1.0 / (x * x);
  return shift + std::log(x) - 0.5 / x -
         inverse *
             (1.0 / 12.0 - inverse * (1.0 / 120.0 - inverse * (1.0 / 252.0 - inverse / 240.0)));
}

class Inference {
 public:
  Inference(const MatrixView& rows, Index components, const DpMixtureOptions& options)
      : rows_(rows), components_(components), options_(options) {
    const auto n = static_cast<double>(rows.rows());
    centre_ = rows.cast<double>().colwise().sum() / n;
    spread_ = Eigen::RowVectorXd::Zero(rows.cols());
    in_blocks(rows.rows(), kMixtureBlock, [&](Index begin, Index count) {
      spread_ += block(begin, count).cwiseAbs2().colwise().sum();
    });
    spread_ /= std::max(n - 1.0, 1.0);
    const bool sound = options.form == DpForm::sound;
    floor_ = options.floor * (sound ? spread_.mean() : 1.0);
    // A constant column would otherwise leave a component without rows at variance 0; where all are
    // constant any positive number serves, since all distances are 0.
    floor_ = std::max(floor_, 1e-30);
    spread_ = spread_.cwiseMax(floor_);
    freedom_ = sound ? 1.0 : static_cast<double>(rows.cols());
    concentration_ =
        options.concentration > 0.0 ? options.concentration : 1.0 / static_cast<double>(components);
  }

  DpMixture fit(std::span<const std::int32_t> start) {
    WeightedSums sums(components_, rows_.cols());
    in_blocks(rows_.rows(), kMixtureBlock, [&](Index begin, Index count) {
      Dense<double> share = Dense<double>::Zero(count, components_);
      for (Index i = 0; i < count; ++i) {
        share(i, start[static_cast<std::size_t>(begin + i)]) = 1.0;
      }
      sums.add(share, block(begin, count));
    });
    update(sums);
    for (Index i = 0; i < options_.iterations; ++i) {
      heed_interrupts();
      WeightedSums next = expect();
      const double moved = (next.count - sums.count).cwiseAbs().sum() / 2.0;
      sums = std::move(next);
      update(sums);
      ++found_.iterations;
      if (moved < options_.tolerance * static_cast<double>(rows_.rows())) {
        break;
      }
    }
    Index heaviest = 0;
    found_.weights.maxCoeff(&heaviest);
    for (Index k = 0; k < components_; ++k) {
      if (k != heaviest && found_.weights[k] < options_.least_weight) {
        constant_[k] = -std::numeric_limits<double>::infinity();
      }
    }
    expect();
    found_.means.rowwise() += centre_;
    return std::move(found_);
  }

 private:
  [[nodiscard]] Dense<double> block(Index begin, Index count) const {
    return rows_.middleRows(begin, count).cast<double>().rowwise() - centre_;
  }

  // Expectations of all parameters, given how the rows share the components.
  void update(const WeightedSums& sums) {
    const auto d = static_cast<double>(rows_.cols());
    // Keeps a component without rows finite; the size scikit-learn takes.
    const Eigen::ArrayXd count = sums.count.array() + 10.0 * std::numeric_limits<double>::epsilon();
    const Dense<double> mean = (sums.first.array().colwise() / count).matrix();
    const Eigen::ArrayXd precision = 1.0 + count;  // of the means: a prior worth one row at 0
    const Eigen::ArrayXd freedom = freedom_ + count;
    found_.means = (mean.array().colwise() * (count / precision)).matrix();
    const Dense<double> within =
        ((sums.second.array().colwise() / count) - mean.array().square()).cwiseMax(0.0) + floor_;
    found_.variances =
        (((within.array() + (mean.array().square().colwise() / precision)).colwise() * count)
             .rowwise() +
         spread_.array())
            .colwise() /
        freedom;

    // Stick lengths: Beta(1 + count, concentration + counts behind it).
    constant_.resize(components_);
    found_.weights.resize(components_);
    double behind = count.sum();
    double log_left = 0.0;
    double left = 1.0;
    for (Index k = 0; k < components_; ++k) {
      behind -= count[k];
      const double a = 1.0 + count[k];
      const double b = concentration_ + (k + 1 < components_ ? std::max(behind, 0.0) : 0.0);
      constant_[k] = digamma(a) - digamma(a + b) + log_left;
      log_left += digamma(b) - digamma(a + b);
      found_.weights[k] = a / (a + b) * left;
      left *= b / (a + b);
      const double log_precision = expected_log_precision(freedom[k]) - d * std::log(freedom[k]);
      constant_[k] += 0.5 * (log_precision - found_.variances.row(k).array().log().sum() -
                             d * std::log(2.0 * std::numbers::pi) - d / precision[k]);
    }
    found_.weights /= found_.weights.sum();
    inverse_ = found_.variances.cwiseInverse();
    slope_ = found_.means.cwiseProduct(inverse_);
    constant_ -= 0.5 * found_.means.cwiseProduct(slope_).rowwise().sum();
  }

  [[nodiscard]] double expected_log_precision(double freedom) const {
    const Index d = rows_.cols();
    double sum = static_cast<double>(d) * std::numbers::ln2;
    if (options_.form == DpForm::sound) {
      return sum + static_cast<double>(d) * digamma(freedom / 2.0);
    }
    for (Index j = 0; j < d; ++j) {
      sum += digamma((freedom - static_cast<double>(j)) / 2.0);
    }
    return sum;
  }

  // How the rows share the components, given the parameters; keeps the likeliest of each row.
  WeightedSums expect() {
    WeightedSums sums(components_, rows_.cols());
    found_.best.resize(static_cast<std::size_t>(rows_.rows()));
    in_blocks(rows_.rows(), kMixtureBlock, [&](Index begin, Index count) {
      const Dense<double> rows = block(begin, count);
      Dense<double> share = rows * slope_.transpose();
      share.noalias() -= 0.5 * rows.cwiseAbs2() * inverse_.transpose();
      share.rowwise() += constant_.transpose();
      for_each_index(count, [&](Index i) {
        Index best = 0;
        const double most = share.row(i).maxCoeff(&best);
        share.row(i) = (share.row(i).array() - most).exp();
        share.row(i) /= share.row(i).sum();
        found_.best[static_cast<std::size_t>(begin + i)] = static_cast<std::int32_t>(best);
      });
      sums.add(share, rows);
    });
    return sums;
  }

  const MatrixView& rows_;
  Index components_;
  const DpMixtureOptions& options_;
  Eigen::RowVectorXd centre_, spread_;  // mean and variance of all rows
  double floor_ = 0.0, freedom_ = 0.0, concentration_ = 0.0;
  DpMixture found_;
  // log share = constant + slope . row - inverse . row^2 / 2
  Eigen::VectorXd constant_;
  Dense<double> inverse_, slope_;
};

}  // namespace

DpMixture fit_dp_mixture(const MatrixView& rows, std::span<const std::int32_t> start,
                         Index components, const DpMixtureOptions& options) {
  TYTO_ASSERT(rows.rows() > 0 && components > 0 && std::ssize(start) == rows.rows());
  return Inference(rows, components, options).fit(start);
}

}  // namespace tyto
