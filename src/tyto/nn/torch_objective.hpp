// SPDX-License-Identifier: Apache-2.0
// Inside the module only: the described objective as a torch graph.
#pragma once

#include <vector>

#include "tyto/nn/torch_tensors.hpp"
#include "tyto/nn/training.hpp"

namespace tyto {

struct GaussianSpread {     // of classes about their means
  at::Tensor sigma, delta;  // one number; one per number of the embedding

  static GaussianSpread unit(Index width);
  [[nodiscard]] at::Tensor variance() const;  // of each dimension
  [[nodiscard]] GaussianSpread copy() const;
  [[nodiscard]] GaussianSpread with_gradients() const;  // the same storage
  [[nodiscard]] std::vector<LearnedTensor> tensors() const;
  void save(State& state) const;
  void load(const State& state) const;  // into the same storage
};

// Of a batch whose logits are these; `second` those of its second view, undefined without one. All
// but what looks at the embedding: gaussian_loss.
at::Tensor loss_of(const Objective& objective, const Batch& batch, const at::Tensor& logits,
                   const at::Tensor& second);

// Of embeddings about the means of their classes; `weight` is that of the output layer.
at::Tensor gaussian_loss(const ClassGaussians& how, const at::Tensor& embedding,
                         const at::Tensor& weight, const GaussianSpread& spread,
                         const std::vector<std::int64_t>& targets);

// What the network is shown of these rows.
at::Tensor with_noise(const at::Tensor& rows, const Reconstruction& how, std::uint64_t key);
at::Tensor reconstruction_loss(const Reconstruction& how, const at::Tensor& outputs,
                               const at::Tensor& rows);

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
