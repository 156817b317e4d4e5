// SPDX-License-Identifier: Apache-2.0
// Inside the module only: epochs of batches down the gradient, the same for every network.
#pragma once

#include <functional>
#include <vector>

#include "tyto/core/progress.hpp"
#include "tyto/nn/torch_tensors.hpp"
#include "tyto/nn/training.hpp"

namespace tyto {

struct Epochs {  // as Network::fit takes them
  Index samples;
  const DrawBatch& draw;
  const Training& training;
  const Work& work;
};

// Of a batch and the number of its step, watched by autograd.
using StepLoss = std::function<at::Tensor(const Batch& batch, std::uint64_t step)>;

// Returns the mean loss of the last epoch, anchors included. Shuffles and draws come from streams
// that know the epoch and the step, so that a training may be cut after any epoch.
double run_epochs(const Epochs& epochs, const std::vector<LearnedTensor>& weights,
                  const StepLoss& loss);

}  // namespace tyto
