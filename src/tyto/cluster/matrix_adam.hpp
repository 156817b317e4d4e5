// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma and Ba 2015) for a matrix of numbers whose gradient is at hand.
#pragma once

#include <cmath>

#include "tyto/core/matrix.hpp"

namespace tyto {

class MatrixAdam {
 public:
  explicit MatrixAdam(double rate) : rate_(rate) {}

  // One step down the gradient; `share` scales the rate, for a schedule.
  void step(Matrix& value, const Matrix& gradient, double share = 1.0) {
    constexpr float kFirst = 0.9F;
    constexpr float kSecond = 0.999F;
    constexpr float kLeast = 1e-8F;
    if (first_.size() == 0) {
      first_ = Matrix::Zero(value.rows(), value.cols());
      second_ = first_;
    }
    ++steps_;
    first_ = kFirst * first_ + (1.0F - kFirst) * gradient;
    second_ = kSecond * second_ + (1.0F - kSecond) * gradient.cwiseAbs2();
    const auto power = static_cast<float>(steps_);
    const float whole = 1.0F - std::pow(kFirst, power);
    const float square = 1.0F - std::pow(kSecond, power);
    value.array() -= static_cast<float>(rate_ * share) * (first_.array() / whole) /
                     ((second_.array() / square).sqrt() + kLeast);
  }

 private:
  double rate_;
  Matrix first_, second_;
  long steps_ = 0;
};

}  // namespace tyto
