// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/one_class_svm.hpp"

#include <cmath>

#include "math/random_rows.hpp"
#include <gtest/gtest.h>
#include <libsvm/svm.h>

namespace tyto {
namespace {

struct OneRow {  // as libsvm takes it
  std::vector<svm_node> nodes;

  explicit OneRow(const Eigen::RowVectorXf& row) {
    for (Index j = 0; j < row.size(); ++j) {
      nodes.push_back({static_cast<int>(j + 1), static_cast<double>(row[j])});
    }
    nodes.push_back({-1, 0.0});
  }
};

// libsvm's own loop over its support vectors, higher inside.
std::vector<double> libsvm_decisions(const Matrix& rows, const Matrix& queries, double nu,
                                     double gamma, double& rho) {
  std::vector<OneRow> kept;
  for (Index i = 0; i < rows.rows(); ++i) {
    kept.emplace_back(rows.row(i));
  }
  std::vector<svm_node*> starts;
  for (OneRow& row : kept) {
    starts.push_back(row.nodes.data());
  }
  std::vector<double> classes(kept.size(), 1.0);
  const svm_problem problem{static_cast<int>(rows.rows()), classes.data(), starts.data()};
  svm_parameter wanted{};
  wanted.svm_type = ONE_CLASS;
  wanted.kernel_type = RBF;
  wanted.gamma = gamma;
  wanted.nu = nu;
  wanted.eps = 1e-3;
  wanted.cache_size = 10;
  wanted.shrinking = 1;
  svm_set_print_string_function([](const char*) {});
  svm_model* model = svm_train(&problem, &wanted);
  rho = model->rho[0];
  std::vector<double> out;
  for (Index i = 0; i < queries.rows(); ++i) {
    double value = 0.0;
    svm_predict_values(model, OneRow(queries.row(i)).nodes.data(), &value);
    out.push_back(value);
  }
  svm_free_and_destroy_model(&model);
  return out;
}

TEST(OneClassSvm, decides_as_libsvm_does) {
  const Matrix rows = random_rows(200, 5, 1);
  Matrix queries = random_rows(60, 5, 2);
  queries.bottomRows(20) *= 4.0F;
  for (const double nu : {0.1, 0.5}) {
    double rho = 0.0;
    const std::vector<double> decisions = libsvm_decisions(rows, queries, nu, 0.15, rho);
    const Vector outside = OneClassSvm(rows, nu, 0.15).outside(queries);
    for (Index i = 0; i < 60; ++i) {
      // The sum of kernels is rho e^-outside.
      EXPECT_NEAR(rho * std::expm1(-static_cast<double>(outside[i])), decisions[at(i)], 1e-4) << i;
      EXPECT_EQ(outside[i] > 0.0F, decisions[at(i)] < 0.0);
    }
  }
}

TEST(OneClassSvm, of_two_rows_is_known) {
  // Both rows weigh a half; at either the sum of kernels is (1 + e^(-gamma 4)) / 2 = rho.
  const OneClassSvm machine(Matrix{{-1}, {1}}, 1.0, 0.25);
  const double rho = (1.0 + std::exp(-1.0)) / 2.0;
  const Vector outside = machine.outside(Matrix{{1}, {0}, {3}, {300}, {301}});
  EXPECT_NEAR(outside[0], 0.0, 1e-3);
  EXPECT_NEAR(outside[1], std::log(rho) + 0.25, 1e-3);
  EXPECT_NEAR(outside[2], std::log(rho) - std::log((std::exp(-1.0) + std::exp(-4.0)) / 2.0), 1e-3);
  // The kernel of the nearer is e^(-0.25 299^2), 0 in any float: the order stays.
  EXPECT_NEAR(outside[3], 0.25 * 299.0 * 299.0, 1.0);
  EXPECT_GT(outside[4], outside[3] + 100.0F);
}

TEST(OneClassSvm, takes_gamma_from_the_variance_and_the_width) {
  const OneClassSvm machine(Matrix{{0, 2}, {4, 2}}, 0.5, 0.0);
  EXPECT_NEAR(machine.gamma(), 1.0 / (2.0 * 2.0), 1e-12);  // entries 0, 2, 4, 2: variance 2
  EXPECT_EQ(OneClassSvm(Matrix::Ones(3, 2), 0.5, 0.0).gamma(), 1.0);
}

TEST(OneClassSvm, sees_distances_alone_wherever_the_rows_lie) {
  const Matrix rows = random_rows(80, 3, 3);
  const Matrix queries = random_rows(10, 3, 4);
  const Vector here = OneClassSvm(rows, 0.5, 0.3).outside(queries);
  const Vector there =
      OneClassSvm(rows.array() + 1000.0F, 0.5, 0.3).outside(Matrix(queries.array() + 1000.0F));
  EXPECT_LT((here - there).cwiseAbs().maxCoeff(), 5e-3F);
}

}  // namespace
}  // namespace tyto
