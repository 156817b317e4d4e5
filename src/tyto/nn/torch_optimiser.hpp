// SPDX-License-Identifier: Apache-2.0
// Inside the module only: the steps down the gradient.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tyto/nn/torch_tensors.hpp"
#include "tyto/nn/training.hpp"

namespace tyto {

class Descent {
 public:
  // `steps`: of the whole training, for the schedule.
  Descent(const Optimiser& optimiser, const std::vector<LearnedTensor>& weights,
          std::int64_t steps);

  void step();  // uses the gradients up

  // What it remembers: moments under the names of the weights, and the step.
  void save(State& state) const;
  void load(const State& state);

 private:
  [[nodiscard]] double schedule() const;  // factor of the rates at this step
  void clip(std::vector<at::Tensor>& gradients) const;

  Optimiser optimiser_;
  std::vector<at::Tensor> weights_;
  std::vector<std::string> names_;
  std::vector<OwnRate> rates_;                              // of each weight
  std::vector<std::pair<at::Tensor, at::Tensor>> moments_;  // the second of Adam alone
  std::int64_t steps_, step_ = 0;
};

}  // namespace tyto
