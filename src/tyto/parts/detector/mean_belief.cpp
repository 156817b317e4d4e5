// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/detector/mean_belief.hpp"

#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr double kNoDoubt = -1e6;  // one class alone: nothing else can be believed

double log_sum(const Eigen::ArrayXd& logs) {
  const double most = logs.maxCoeff();
  return std::isfinite(most) ? most + std::log((logs - most).exp().sum()) : most;
}

}  // namespace

void MeanBelief::add(const Matrix& logits) {
  Dense<double> log_p = logits.cast<double>();
  for (Index i = 0; i < log_p.rows(); ++i) {
    log_p.row(i).array() -= log_sum(log_p.row(i).transpose().array());
  }
  log_p_.push_back(std::move(log_p));
}

Matrix MeanBelief::log_probability() const {
  TYTO_ASSERT(!log_p_.empty());
  Matrix out(log_p_.front().rows(), log_p_.front().cols());
  Eigen::ArrayXd members(std::ssize(log_p_));
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index c = 0; c < out.cols(); ++c) {
      for (std::size_t m = 0; m < log_p_.size(); ++m) {
        members[static_cast<Index>(m)] = log_p_[m](i, c);
      }
      out(i, c) =
          static_cast<float>(log_sum(members) - std::log(static_cast<double>(log_p_.size())));
    }
  }
  return out;
}

std::vector<float> doubt(const Matrix& log_probability, const std::vector<Label>& classes,
                         std::string_view who) {
  std::vector<float> out;
  for (Index i = 0; i < log_probability.rows(); ++i) {
    Index best = -1;
    for (Index c = 0; c < log_probability.cols(); ++c) {
      if (classes[at(c)] != Label::unknown &&
          (best < 0 || log_probability(i, c) > log_probability(i, best))) {
        best = c;
      }
    }
    if (best < 0) {
      throw Error(ErrorKind::state, fmt::format("{} has learned no class yet", who));
    }
    Eigen::ArrayXd others = log_probability.row(i).transpose().cast<double>().array();
    others[best] = -std::numeric_limits<double>::infinity();
    const double rest = log_sum(others);  // log(1 - p)
    const double log_p = -std::log1p(-std::min(std::exp(rest), 1.0 - 1e-15));
    // -log p is 1 - p where that is small, and 0 in no number of bits where it is smaller still.
    const double value = rest < -20.0 ? rest : std::log(log_p);
    out.push_back(static_cast<float>(std::max(value, kNoDoubt)));
  }
  return out;
}

}  // namespace tyto
