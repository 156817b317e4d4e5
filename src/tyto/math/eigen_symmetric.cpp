// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/eigen_symmetric.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"

extern "C" void dsyevd_(const char* job, const char* triangle, const int* n, double* a,
                        const int* stride, double* values, double* work, const int* work_size,
                        int* whole_work, const int* whole_work_size, int* info);

// The steps of dsyevd, for those that are long.
extern "C" void dlatrd_(const char* triangle, const int* n, const int* columns, double* a,
                        const int* stride, double* off, double* tau, double* w,
                        const int* w_stride);
extern "C" void dsytd2_(const char* triangle, const int* n, double* a, const int* stride,
                        double* diagonal, double* off, double* tau, int* info);
extern "C" void dstedc_(const char* job, const int* n, double* diagonal, double* off, double* z,
                        const int* z_stride, double* work, const int* work_size, int* whole_work,
                        const int* whole_work_size, int* info);
extern "C" void dormtr_(const char* side, const char* triangle, const char* transposed,
                        const int* rows, const int* columns, const double* a, const int* stride,
                        const double* tau, double* c, const int* c_stride, double* work,
                        const int* work_size, int* info);

namespace tyto {

namespace {

constexpr int kLongFrom = 512;  // rows from which a signal may come in between
constexpr int kPanel = 32;      // columns reduced at once, as in LAPACK

// Calls twice: for the size of the workspace, and with it.
template <class Call>
void with_workspace(const Call& call) {
  int ask = -1;
  double work_size = 0.0;
  int whole_size = 0;
  call(&work_size, &ask, &whole_size, &ask);
  std::vector<double> work(static_cast<std::size_t>(work_size));
  std::vector<int> whole(static_cast<std::size_t>(whole_size));
  const int size = static_cast<int>(work.size());
  call(work.data(), &size, whole.data(), &whole_size);
}

// Eigenvectors into the matrix, ascending values; what LAPACK says of the outcome.
int solve_at_once(Eigen::MatrixXd& matrix, Eigen::VectorXd& values) {
  const int n = static_cast<int>(matrix.rows());
  int info = 0;
  with_workspace([&](double* work, const int* size, int* whole, const int* whole_size) {
    dsyevd_("V", "L", &n, matrix.data(), &n, values.data(), work, size, whole, whole_size, &info);
  });
  return info;
}

// The same by the same steps: to three diagonals, panel by panel, which takes most of the time; the
// eigenvectors of these; and back.
int solve_in_steps(Eigen::MatrixXd& matrix, Eigen::VectorXd& values) {
  const int n = static_cast<int>(matrix.rows());
  Eigen::VectorXd off(n);
  Eigen::VectorXd tau(n);
  Eigen::MatrixXd update(n, kPanel);
  int done = 0;
  for (; n - done > 2 * kPanel; done += kPanel) {
    heed_interrupts();
    const int left = n - done;
    const int rest = left - kPanel;
    dlatrd_("L", &left, &kPanel, &matrix(done, done), &n, &off[done], &tau[done], update.data(),
            &n);
    const auto panel = matrix.block(done + kPanel, done, rest, kPanel);
    const auto other = update.middleRows(kPanel, rest);
    auto below = matrix.bottomRightCorner(rest, rest).triangularView<Eigen::Lower>();
    below -= panel * other.transpose();
    below -= other * panel.transpose();
    for (int j = done; j < done + kPanel; ++j) {
      matrix(j + 1, j) = off[j];
      values[j] = matrix(j, j);
    }
  }
  int info = 0;
  const int left = n - done;
  dsytd2_("L", &left, &matrix(done, done), &n, &values[done], &off[done], &tau[done], &info);
  heed_interrupts();
  Eigen::MatrixXd vectors(n, n);
  with_workspace([&](double* work, const int* size, int* whole, const int* whole_size) {
    dstedc_("I", &n, values.data(), off.data(), vectors.data(), &n, work, size, whole, whole_size,
            &info);
  });
  if (info != 0) {
    return info;
  }
  heed_interrupts();
  with_workspace([&](double* work, const int* size, int*, const int*) {
    dormtr_("L", "L", "N", &n, &n, matrix.data(), &n, tau.data(), vectors.data(), &n, work, size,
            &info);
  });
  matrix = std::move(vectors);
  return info;
}

}  // namespace

Spectrum eigen_symmetric(Eigen::MatrixXd matrix) {
  TYTO_ASSERT(matrix.rows() == matrix.cols());
  if (matrix.rows() == 0) {
    return {};
  }
  const int n = static_cast<int>(matrix.rows());
  Eigen::VectorXd ascending(n);
  const int info =
      n < kLongFrom ? solve_at_once(matrix, ascending) : solve_in_steps(matrix, ascending);
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
