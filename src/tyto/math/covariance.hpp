// SPDX-License-Identifier: Apache-2.0
// Covariances that can be solved with: shrunk towards a sphere of the same volume per dimension.
#pragma once

#include <string_view>

#include <Eigen/Cholesky>

#include "tyto/math/class_statistics.hpp"

namespace tyto {

// Weight of the sphere by the oracle approximating shrinkage of Chen et al. (2010), in [0, 1].
double oas_shrinkage(const Eigen::MatrixXd& covariance, double samples);
// The same from the trace of the covariance and of its square, in d dimensions.
double oas_shrinkage(double trace, double squares, double d, double samples);

// (1 - e) S + e (tr S / d) I with e = shrinkage, 0: by OAS. Without any spread: the identity.
Eigen::MatrixXd shrunk_covariance(const ClassStatistics& statistics, double shrinkage);

// The same of any covariance estimated with that many degrees of freedom.
Eigen::MatrixXd shrunk_covariance(Eigen::MatrixXd covariance, double freedom, double shrinkage);

// Its Cholesky factor. `who` asks: an Error(numeric) names it where the covariance has none.
Eigen::LLT<Eigen::MatrixXd> shrunk_factor(const ClassStatistics& statistics, double shrinkage,
                                          std::string_view who);

}  // namespace tyto
