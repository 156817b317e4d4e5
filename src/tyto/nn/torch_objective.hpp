// SPDX-License-Identifier: Apache-2.0
// Inside the module only: the described objective as a torch graph.
#pragma once

#include <vector>

#include "tyto/nn/torch_tensors.hpp"
#include "tyto/nn/training.hpp"

namespace tyto {

// Of a batch whose logits are these; `second` those of its second view, undefined without one.
at::Tensor loss_of(const Objective& objective, const Batch& batch, const at::Tensor& logits,
                   const at::Tensor& second);

// Anchors do not depend on the batch, so their gradient is written down rather than derived.
class AnchorPull {
 public:
  // Throws Error(state) where an anchor does not fit the weights.
  AnchorPull(const std::vector<Anchor>& anchors, const std::vector<LearnedTensor>& weights);

  [[nodiscard]] double loss() const;
  void add_to_gradients() const;

 private:
  struct Term {
    double weight;
    at::Tensor now, importance, at;  // of a tensor that grew: its first rows
  };

  std::vector<Term> terms_;
};

}  // namespace tyto
