// SPDX-License-Identifier: Apache-2.0
// Inside the module only: a network for pictures that is taught as a part of another.
#pragma once

#include <vector>

#include "tyto/nn/network.hpp"
#include "tyto/nn/torch_graph.hpp"
#include "tyto/nn/torch_tensors.hpp"

namespace tyto {

class TorchTrunk {
 public:
  // Throws Error(config) for a network that there is not, Error(data) for weights of another.
  TorchTrunk(const TrunkSettings& settings, const Rng& rng);

  // A copy that shares nothing.
  [[nodiscard]] TorchTrunk copy() const;
  // The same storage, watched by an autograd of its own where it is taught.
  [[nodiscard]] TorchTrunk with_gradients() const;

  [[nodiscard]] Index features() const { return features_; }

  [[nodiscard]] bool is_of_clips() const { return network_.graph().axes == 3; }

  // Features of rows; of a network of clips one row for every `segments`.
  [[nodiscard]] at::Tensor forward(const at::Tensor& rows, Index segments, const Rng* train) const;

  [[nodiscard]] std::vector<LearnedTensor> taught() const;

  void save(State& state) const;
  void load(const State& state);

 private:
  TorchTrunk(const TrunkSettings& settings, TorchGraph network, std::vector<bool> taught,
             Index features);

  TrunkSettings settings_;
  TorchGraph network_;
  std::vector<bool> taught_;  // of each tensor
  Index features_ = 0;
};

}  // namespace tyto
