// SPDX-License-Identifier: Apache-2.0
// Beliefs of several networks averaged, in log space: where softmax saturates they still differ.
#pragma once

#include <vector>

#include "tyto/parts/evidence.hpp"

namespace tyto {

class MeanBelief {
 public:
  void add(const Matrix& logits);  // all of one shape

  // Of the mean of the softmaxes, a column per class.
  [[nodiscard]] Matrix log_probability() const;

 private:
  std::vector<Dense<double>> log_p_;
};

// log(-log p), p the greatest mean softmax of a known class: in the order of -log p, which is 0 in
// float32 for many a sample that it still tells apart. `who` asks.
std::vector<float> doubt(const Matrix& log_probability, const std::vector<Label>& classes,
                         std::string_view who);

}  // namespace tyto
