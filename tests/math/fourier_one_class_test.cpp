// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/fourier_one_class.hpp"

#include <cmath>

#include "math/random_rows.hpp"
#include <gtest/gtest.h>
#include <libsvm/svm.h>

#include "tyto/core/files/archive.hpp"
#include "tyto/math/one_class_svm.hpp"

namespace tyto {
namespace {

// What libsvm makes of the same rows without a kernel, over its own threshold: 1 on the boundary.
std::vector<double> linear_by_libsvm(const Matrix& rows, const Matrix& queries, double nu) {
  std::vector<std::vector<svm_node>> nodes;
  const auto nodes_of = [](const Eigen::RowVectorXf& row) {
    std::vector<svm_node> out;
    for (Index j = 0; j < row.size(); ++j) {
      out.push_back({static_cast<int>(j + 1), static_cast<double>(row[j])});
    }
    out.push_back({-1, 0.0});
    return out;
  };
  for (Index i = 0; i < rows.rows(); ++i) {
    nodes.push_back(nodes_of(rows.row(i)));
  }
  std::vector<svm_node*> starts;
  for (auto& row : nodes) {
    starts.push_back(row.data());
  }
  std::vector<double> classes(nodes.size(), 1.0);
  const svm_problem problem{static_cast<int>(rows.rows()), classes.data(), starts.data()};
  svm_parameter wanted{};
  wanted.svm_type = ONE_CLASS;
  wanted.kernel_type = LINEAR;
  wanted.nu = nu;
  wanted.eps = 1e-5;
  wanted.cache_size = 10;
  svm_set_print_string_function([](const char*) {});
  svm_model* model = svm_train(&problem, &wanted);
  std::vector<double> out;
  for (Index i = 0; i < queries.rows(); ++i) {
    double value = 0.0;
    svm_predict_values(model, nodes_of(queries.row(i)).data(), &value);
    out.push_back(value / model->rho[0] + 1.0);
  }
  svm_free_and_destroy_model(&model);
  return out;
}

TEST(LinearOneClass, finds_the_machine_that_libsvm_finds) {
  const Matrix rows = random_rows(150, 6, 41, 2.0);
  const Matrix queries = random_rows(40, 6, 42, 1.0);
  for (const double nu : {0.1, 0.5, 0.9}) {
    const LinearOneClass found = linear_one_class(rows, nu);
    const std::vector<double> expected = linear_by_libsvm(rows, queries, nu);
    for (Index i = 0; i < queries.rows(); ++i) {
      EXPECT_NEAR(queries.row(i).dot(found.direction) / found.rho,
                  expected[static_cast<std::size_t>(i)], 0.02)
          << nu;
    }
  }
}

TEST(LinearOneClass, of_one_row_and_of_equal_rows) {
  const Matrix row = Matrix{{3, 4}};
  const LinearOneClass one = linear_one_class(row, 0.5);
  EXPECT_NEAR(one.rho, 25.0, 1e-4);
  const LinearOneClass same = linear_one_class(row.replicate(7, 1), 1.0);
  EXPECT_NEAR(same.rho, 25.0, 1e-4);
}

TEST(FourierOneClass, comes_close_to_the_kernel) {
  const Matrix rows = random_rows(250, 2, 43);
  const Matrix queries = 1.5F * random_rows(60, 2, 44);
  const OneClassSvm exact(rows, 0.3, 0.5);
  const FourierOneClass few(rows, 0.3, 0.5, 4000, Rng(1, "fourier"));
  const Vector found = few.outside(queries);
  const Vector expected = 1.0F - (-exact.outside(queries).array()).exp();
  EXPECT_LT((found - expected).cwiseAbs().mean(), 0.05);
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 0.2);
  // nu of the rows lie outside, give or take those on the boundary.
  EXPECT_NEAR((few.outside(rows).array() > 0.0F).cast<float>().mean(), 0.3, 0.05);
}

TEST(FourierOneClass, follows_its_seed_and_is_the_same_after_save_and_load) {
  const Matrix rows = random_rows(80, 3, 45);
  const auto make = [&](std::uint64_t seed) {
    return FourierOneClass(rows, 0.5, 0.0, 64, Rng(seed, "fourier"));
  };
  const Vector first = make(1).outside(rows);
  EXPECT_EQ(make(1).outside(rows), first);
  EXPECT_NE(make(2).outside(rows), first);
  State state;
  make(1).save(state);
  FourierOneClass again;
  again.load(from_archive(to_archive(state), "test"));
  EXPECT_EQ(again.outside(rows), first);
}

}  // namespace
}  // namespace tyto
