// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/shared_gaussians.hpp"

#include "tyto/math/covariance.hpp"
#include "tyto/math/distances.hpp"

namespace tyto {

Matrix Whitening::apply(const Matrix& rows) const {
  return (rows.rowwise() - centre.row(0)) * matrix;
}

Whitening whitening_of(const Eigen::LLT<Eigen::MatrixXd>& covariance,
                       const Eigen::RowVectorXd& centre) {
  const Eigen::MatrixXd matrix =
      covariance.matrixU().solve(Eigen::MatrixXd::Identity(covariance.rows(), covariance.cols()));
  return {centre.cast<float>(), matrix.cast<float>()};
}

SharedGaussians::SharedGaussians(double shrinkage, std::string who)
    : shrinkage_(shrinkage), who_(std::move(who)) {}

void SharedGaussians::learn(const Experience& experience, Work& work) {
  learn_statistics(statistics_, Scatter::full, experience, work);
  if (statistics_.classes() == 0) {
    return;
  }
  const Dense<double> means = statistics_.means();
  whitening_ = whitening_of(shrunk_factor(statistics_, shrinkage_, who_), means.colwise().mean());
  means_ = ((means.rowwise() - whitening_.centre.row(0).cast<double>()) *
            whitening_.matrix.cast<double>())
               .cast<float>();
}

Matrix SharedGaussians::distances(const Matrix& features) const {
  if (statistics_.classes() == 0) {
    throw Error(ErrorKind::state,
                fmt::format("detector {} has seen no labelled sample to fit on", who_));
  }
  return squared_distances(whitening_.apply(features), means_);
}

void SharedGaussians::save(State& state) const {
  statistics_.save(state.make_child("statistics"));
  state.set("centre", whitening_.centre);
  state.set("whitening", whitening_.matrix);
  state.set("means", means_);
}

void SharedGaussians::load(const State& state) {
  statistics_.load(state.child("statistics"));
  whitening_ = {state.get<Matrix>("centre"), state.get<Matrix>("whitening")};
  means_ = state.get<Matrix>("means");
}

}  // namespace tyto
