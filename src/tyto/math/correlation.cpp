// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/correlation.hpp"

#include <cmath>

#include <Eigen/Cholesky>

#include "tyto/core/error.hpp"

namespace tyto {

Eigen::MatrixXd with_mean_entries(Eigen::MatrixXd covariance, double diagonal, double rest,
                                  OffDiagonal which) {
  const Index d = covariance.rows();
  TYTO_ASSERT(d > 0 && covariance.cols() == d);
  const double trace = covariance.trace();
  const double sum = covariance.sum() - trace;
  Index entries = d * (d - 1);
  if (which == OffDiagonal::not_zero) {
    const Index on_diagonal = (covariance.diagonal().array() != 0.0).count();
    entries = (covariance.array() != 0.0).count() - on_diagonal;
  }
  if (entries > 0) {
    const double shift = rest * sum / static_cast<double>(entries);
    covariance.array() += shift;
    covariance.diagonal().array() -= shift;
  }
  covariance.diagonal().array() += diagonal * trace / static_cast<double>(d);
  return covariance;
}

Eigen::MatrixXd correlation_of(Eigen::MatrixXd covariance) {
  Eigen::ArrayXd scale = covariance.diagonal().array();
  for (double& value : scale) {
    value = value > 0.0 ? 1.0 / std::sqrt(value) : 0.0;
  }
  covariance.array().colwise() *= scale;
  covariance.array().rowwise() *= scale.transpose();
  covariance.diagonal().setOnes();
  return covariance;
}

Eigen::MatrixXd correlation_factor(const Eigen::MatrixXd& correlation) {
  constexpr double kLeastPivot = 1e-3;
  constexpr double kFirstExtra = 1e-6;
  for (double extra = 0.0;; extra = extra == 0.0 ? kFirstExtra : 10.0 * extra) {
    Eigen::MatrixXd raised = correlation;
    raised.diagonal().array() += extra;
    const Eigen::LLT<Eigen::MatrixXd> factor(raised);
    if (factor.info() == Eigen::Success &&
        factor.matrixLLT().diagonal().minCoeff() >= kLeastPivot) {
      return factor.matrixL();
    }
    TYTO_ASSERT(extra < 1e12);  // finite entries: it has been found long before
  }
}

}  // namespace tyto
