// SPDX-License-Identifier: Apache-2.0
#include "math/random_rows.hpp"
#include "support/interrupted.hpp"
#include <gtest/gtest.h>

#include "tyto/math/eigen_symmetric.hpp"
#include "tyto/math/neighbours.hpp"
#include "tyto/math/one_class_svm.hpp"
#include "tyto/math/thin_spectrum.hpp"

namespace tyto {
namespace {

TEST(LongFits, end_at_an_interrupt) {
  const Matrix rows = random_rows(700, 3, 1);
  testing_support::expect_cut_short([&] { OneClassSvm(rows, 0.5, 0.0); });
  testing_support::expect_cut_short([&] { thin_spectrum(rows.topRows(2).cast<double>(), 1.0); });
  testing_support::expect_cut_short([] { eigen_symmetric(Eigen::MatrixXd::Identity(600, 600)); });
  testing_support::expect_cut_short([&] { nearest_rows(rows, rows, 3); });
}

}  // namespace
}  // namespace tyto
