// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/eigen_symmetric.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

extern "C" void dsyevd_(const char* job, const char* triangle, const int* n, double* a,
                        const int* stride, double* values, double* work, const int* work_size,
                        int* whole_work, const int* whole_work_size, int* info);

namespace tyto {

Spectrum eigen_symmetric(Eigen::MatrixXd matrix) {
  TYTO_ASSERT(matrix.rows() == matrix.cols());
  if (matrix.rows() == 0) {
    return {};
  }
  const int n = static_cast<int>(matrix.rows());
  Eigen::VectorXd ascending(n);
  int info = 0;
  int ask = -1;
  double work_size = 0.0;
  int whole_size = 0;
  dsyevd_("V", "L", &n, matrix.data(), &n, ascending.data(), &work_size, &ask, &whole_size, &ask,
          &info);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> whole(static_cast<std::size_t>(whole_size));
  const int size = static_cast<int>(work.size());
  dsyevd_("V", "L", &n, matrix.data(), &n, ascending.data(), work.data(), &size, whole.data(),
          &whole_size, &info);
  if (info != 0) {
    throw Error(ErrorKind::numeric,
                fmt::format("the eigenvalues of a {} x {} matrix were not found", n, n));
  }
  Spectrum out{ascending.reverse(), matrix.rowwise().reverse()};
  for (Index j = 0; j < n; ++j) {
    Index largest = 0;
    out.vectors.col(j).cwiseAbs().maxCoeff(&largest);
    if (out.vectors(largest, j) < 0.0) {
      out.vectors.col(j) *= -1.0;
    }
  }
  return out;
}

}  // namespace tyto
