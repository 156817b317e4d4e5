// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/covariance.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

double oas_shrinkage(const Eigen::MatrixXd& covariance, double samples) {
  const auto d = static_cast<double>(covariance.rows());
  return oas_shrinkage(covariance.trace(), covariance.squaredNorm(), d, samples);
}

double oas_shrinkage(double trace, double squares, double d, double samples) {
  const double below = (samples + 1.0 - 2.0 / d) * (squares - trace * trace / d);
  if (!(below > 0.0)) {
    return 1.0;  // a sphere already
  }
  const double above = (1.0 - 2.0 / d) * squares + trace * trace;
  return std::clamp(above / below, 0.0, 1.0);
}

Eigen::MatrixXd shrunk_covariance(const ClassStatistics& statistics, double shrinkage) {
  const double freedom =
      static_cast<double>(std::max<Index>(1, statistics.count() - statistics.classes()));
  return shrunk_covariance(statistics.covariance(), freedom, shrinkage);
}

Eigen::MatrixXd shrunk_covariance(Eigen::MatrixXd covariance, double freedom, double shrinkage) {
  const double radius = covariance.trace() / static_cast<double>(covariance.rows());
  if (!(radius > 0.0)) {
    return Eigen::MatrixXd::Identity(covariance.rows(), covariance.cols());
  }
  const double e = shrinkage > 0.0 ? shrinkage : oas_shrinkage(covariance, freedom);
  covariance *= 1.0 - e;
  covariance.diagonal().array() += e * radius;
  return covariance;
}

Eigen::LLT<Eigen::MatrixXd> shrunk_factor(const ClassStatistics& statistics, double shrinkage,
                                          std::string_view who) {
  Eigen::LLT<Eigen::MatrixXd> factor(shrunk_covariance(statistics, shrinkage));
  if (factor.info() != Eigen::Success) {
    throw Error(ErrorKind::numeric,
                fmt::format("{} cannot invert the covariance of {} samples in {} columns with "
                            "shrinkage {}; raise it, or set it to 0 to have it chosen",
                            who, statistics.count(), statistics.width(), shrinkage));
  }
  return factor;
}

}  // namespace tyto
