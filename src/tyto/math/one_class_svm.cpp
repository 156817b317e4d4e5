// SPDX-License-Identifier: Apache-2.0
#include "tyto/math/one_class_svm.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <libsvm/svm.h>

#include "tyto/core/error.hpp"
#include "tyto/core/heed_interrupts.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/distances.hpp"

namespace tyto {

namespace {

constexpr Index kSvmRows = 512;  // kernels of so many rows at a time
constexpr double kSvmPrecision = 1e-3, kSvmCacheMegabytes = 200.0;

struct FreeModel {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};

// All columns of all rows: libsvm takes sparse rows that end in -1.
std::vector<svm_node> svm_nodes(const MatrixView& rows) {
  std::vector<svm_node> nodes;
  nodes.reserve(at(rows.rows() * (rows.cols() + 1)));
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index j = 0; j < rows.cols(); ++j) {
      nodes.push_back({static_cast<int>(j + 1), static_cast<double>(rows(i, j))});
    }
    nodes.push_back({-1, 0.0});
  }
  return nodes;
}

}  // namespace

double scale_gamma(const MatrixView& rows) {
  const double mean = rows.cast<double>().mean();
  const double variance = (rows.cast<double>().array() - mean).square().mean();
  return variance > 0.0 ? 1.0 / (static_cast<double>(rows.cols()) * variance) : 1.0;
}

OneClassSvm::OneClassSvm(const MatrixView& rows, double nu, double gamma)
    : gamma_(gamma > 0.0 ? gamma : scale_gamma(rows)) {
  TYTO_ASSERT(rows.rows() > 0 && rows.cols() > 0 && nu > 0.0 && nu <= 1.0);
  // Distances are those about the centre: far from it their squares would cancel.
  centre_ = rows.cast<double>().colwise().mean().cast<float>();
  const Matrix centred = rows.rowwise() - centre_.row(0);
  std::vector<svm_node> nodes = svm_nodes(rows);
  std::vector<svm_node*> starts;
  std::vector<double> classes(at(rows.rows()), 1.0);
  for (Index i = 0; i < rows.rows(); ++i) {
    starts.push_back(&nodes[at(i * (rows.cols() + 1))]);
  }
  const svm_problem problem{static_cast<int>(rows.rows()), classes.data(), starts.data()};
  svm_parameter wanted{};
  wanted.svm_type = ONE_CLASS;
  wanted.kernel_type = RBF;
  wanted.gamma = gamma_;
  wanted.nu = nu;
  wanted.eps = kSvmPrecision;
  wanted.cache_size = kSvmCacheMegabytes;
  wanted.shrinking = 1;
  if (const char* refused = svm_check_parameter(&problem, &wanted)) {
    throw Error(ErrorKind::numeric, fmt::format("libsvm refuses these settings: {}", refused));
  }
  // It prints every thousand steps at the latest. Nothing is shown, but it can be left there:
  // libsvm is C++, and what it then leaves behind goes with the program.
  svm_set_print_string_function([](const char*) { heed_interrupts(); });
  const std::unique_ptr<svm_model, FreeModel> model(svm_train(&problem, &wanted));
  vectors_.resize(model->l, rows.cols());
  log_weights_.resize(1, model->l);
  double sum = 0.0;
  for (int i = 0; i < model->l; ++i) {
    sum += model->sv_coef[0][i];
  }
  if (!(sum > 0.0 && model->rho[0] > 0.0)) {
    throw Error(ErrorKind::numeric,
                fmt::format("the one-class machine found no support among {} rows with nu {} and "
                            "gamma {}",
                            rows.rows(), nu, gamma_));
  }
  for (int i = 0; i < model->l; ++i) {
    vectors_.row(i) = centred.row(model->sv_indices[i] - 1);
    log_weights_(0, i) = std::log(model->sv_coef[0][i] / sum);
  }
  log_rho_ = std::log(model->rho[0] / sum);
  if (!std::isfinite(log_rho_)) {  // nu = 1: every row weighs all it may, and nothing sets rho
    log_rho_ = 0.0;
    log_rho_ = -static_cast<double>(outside(rows).minCoeff());
  }
}

Vector OneClassSvm::outside(const MatrixView& rows) const {
  Vector out(rows.rows());
  const Eigen::ArrayXf weights = log_weights_.row(0).transpose().cast<float>();
  const auto gamma = static_cast<float>(gamma_);
  in_blocks(rows.rows(), kSvmRows, [&](Index begin, Index count) {
    const Matrix shifted = rows.middleRows(begin, count).rowwise() - centre_.row(0);
    const Matrix distances = squared_distances(shifted, vectors_);
    for_each_index(count, [&](Index i) {
      const Eigen::ArrayXf exponents = weights - gamma * distances.row(i).transpose().array();
      const float most = exponents.maxCoeff();
      const double sum = (exponents - most).exp().cast<double>().sum();
      out[begin + i] = static_cast<float>(log_rho_ - static_cast<double>(most) - std::log(sum));
    });
  });
  return out;
}

void OneClassSvm::save(State& state) const {
  state.set("centre", centre_);
  state.set("vectors", vectors_);
  state.set("log_weights", log_weights_);
  state.set("log_rho", double{log_rho_});
  state.set("gamma", double{gamma_});
}

void OneClassSvm::load(const State& state) {
  centre_ = state.get<Matrix>("centre");
  vectors_ = state.get<Matrix>("vectors");
  log_weights_ = state.get<Dense<double>>("log_weights");
  log_rho_ = state.get<double>("log_rho");
  gamma_ = state.get<double>("gamma");
}

}  // namespace tyto
