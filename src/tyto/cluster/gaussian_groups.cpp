// SPDX-License-Identifier: Apache-2.0
#include "tyto/cluster/gaussian_groups.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "tyto/cluster/weighted_sums.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kGaussianBlock = 1024;
constexpr double kNoRow = 10.0 * std::numeric_limits<double>::epsilon();

void maximise(const WeightedSums& sums, const GaussianGroupsOptions& options, GaussianGroups& out) {
  const Eigen::ArrayXd count = sums.count.array() + kNoRow;
  out.weights = count / count.sum();
  out.means = (sums.first.array().colwise() / count).matrix();
  Dense<double> variance =
      ((sums.second.array().colwise() / count) - out.means.array().square()).cwiseMax(0.0);
  if (options.spherical) {
    const Eigen::VectorXd mean = variance.rowwise().mean();
    variance.colwise() = mean;
  }
  if (options.prior > 0.0) {
    const Eigen::RowVectorXd within =
        (variance.array().colwise() * count).matrix().colwise().sum() / count.sum();
    variance = (((variance.array().colwise() * count).rowwise() + options.prior * within.array())
                    .colwise() /
                (count + options.prior))
                   .matrix();
  }
  out.variances = (variance.array() + options.floor).matrix();
}

}  // namespace

GroupScores GaussianGroups::scores() const {
  GroupScores out;
  const Dense<double> inverse = variances.cwiseInverse();
  const Eigen::RowVectorXd middle = means.colwise().mean();
  const Dense<double> about = means.rowwise() - middle;
  out.shift = middle.cast<float>();
  out.square = (-0.5 * inverse).cast<float>();
  out.weight = about.cwiseProduct(inverse).cast<float>();
  out.bias = (weights.array().max(1e-300).log() -
              0.5 * (about.cwiseAbs2().cwiseProduct(inverse).rowwise().sum().array() +
                     variances.array().log().rowwise().sum()))
                 .matrix()
                 .transpose()
                 .cast<float>();
  return out;
}

GaussianGroups gaussians_of(const MatrixView& rows, std::span<const std::int32_t> start,
                            Index components, const GaussianGroupsOptions& options) {
  TYTO_ASSERT(std::ssize(start) == rows.rows());
  WeightedSums sums(components, rows.cols());
  in_blocks(rows.rows(), kGaussianBlock, [&](Index begin, Index count) {
    Dense<double> share = Dense<double>::Zero(count, components);
    for (Index i = 0; i < count; ++i) {
      if (const std::int32_t g = start[static_cast<std::size_t>(begin + i)]; g >= 0) {
        share(i, g) = 1.0;
      }
    }
    sums.add(share, rows.middleRows(begin, count).cast<double>());
  });
  GaussianGroups out;
  maximise(sums, options, out);
  return out;
}

void fit_gaussians(GaussianGroups& groups, const MatrixView& rows,
                   std::span<const std::int32_t> pinned, const GaussianGroupsOptions& options) {
  const Index n = rows.rows();
  const Index components = groups.means.rows();
  TYTO_ASSERT(std::ssize(pinned) == n && components > 0);
  groups.group.assign(static_cast<std::size_t>(n), 0);
  double before = -std::numeric_limits<double>::infinity();
  for (bool last = false; !last;) {
    const Dense<double> inverse = groups.variances.cwiseInverse();
    const Dense<double> slope = groups.means.cwiseProduct(inverse);
    const Eigen::VectorXd constant =
        groups.weights.array().log() -
        0.5 * (groups.means.cwiseProduct(slope).rowwise().sum().array() +
               (groups.variances.array() * (2.0 * std::numbers::pi)).log().rowwise().sum());
    WeightedSums sums(components, rows.cols());
    double likelihood = 0.0;
    in_blocks(n, kGaussianBlock, [&](Index begin, Index count) {
      heed_interrupts();
      const Dense<double> block = rows.middleRows(begin, count).cast<double>();
      Dense<double> share = block * slope.transpose();
      share.noalias() -= 0.5 * block.cwiseAbs2() * inverse.transpose();
      share.rowwise() += constant.transpose();
      Eigen::VectorXd log_sum(count);
      for_each_index(count, [&](Index i) {
        Index best = 0;
        const double most = share.row(i).maxCoeff(&best);
        share.row(i) = (share.row(i).array() - most).exp();
        const double sum = share.row(i).sum();
        log_sum[i] = most + std::log(sum);
        share.row(i) /= sum;
        const std::int32_t own = pinned[static_cast<std::size_t>(begin + i)];
        if (own >= 0) {
          share.row(i).setZero();
          share(i, own) = 1.0;
        }
        groups.group[static_cast<std::size_t>(begin + i)] =
            own >= 0 ? own : static_cast<std::int32_t>(best);
      });
      likelihood += log_sum.sum();
      sums.add(share, block);
    });
    groups.log_likelihood = likelihood / static_cast<double>(n);
    last = groups.iterations >= options.iterations ||
           std::abs(groups.log_likelihood - before) < options.tolerance;
    before = groups.log_likelihood;
    if (!last) {
      maximise(sums, options, groups);
      ++groups.iterations;
    }
  }
}

}  // namespace tyto
