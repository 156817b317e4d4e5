// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_optimiser.hpp"

#include <cmath>
#include <numbers>

#include <ATen/ops/zeros.h>

#include "tyto/nn/kernels.hpp"

namespace tyto {

Descent::Descent(const Optimiser& optimiser, const std::vector<LearnedTensor>& weights,
                 std::int64_t steps)
    : optimiser_(optimiser), steps_(steps) {
  for (const LearnedTensor& learned : weights) {
    const at::Tensor& weight = learned.tensor;
    weights_.push_back(weight);
    moments_.emplace_back(at::zeros(weight.sizes(), at::kFloat),
                          optimiser_.kind == OptimiserKind::adam
                              ? at::zeros(weight.sizes(), at::kFloat)
                              : at::Tensor());
  }
}

void Descent::clip(std::vector<at::Tensor>& gradients) const {
  double squares = 0.0;
  for (const at::Tensor& gradient : gradients) {
    const double length = gradient.norm().item<double>();
    squares += length * length;
  }
  const double length = std::sqrt(squares);
  if (length > optimiser_.clip) {
    for (const at::Tensor& gradient : gradients) {
      gradient.mul_(optimiser_.clip / (length + 1e-6));
    }
  }
}

void Descent::step() {
  double rate = optimiser_.learning_rate;
  if (optimiser_.schedule == RateSchedule::cosine) {
    rate *= 0.5 * (1.0 + std::cos(std::numbers::pi * static_cast<double>(step_) /
                                  static_cast<double>(steps_)));
  }
  ++step_;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& weight : weights_) {
    gradients.push_back(weight.grad().contiguous());
  }
  if (optimiser_.clip > 0.0) {
    clip(gradients);
  }
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (optimiser_.decay > 0.0) {
      add_pull(optimiser_.decay, span_of(weights_[i]), span_of(gradients[i]));
    }
    const auto gradient = span_of(gradients[i]);
    const auto weight = span_of(weights_[i]);
    const auto first = span_of(moments_[i].first);
    switch (optimiser_.kind) {
      case OptimiserKind::adam:
        adam_update({rate, step_}, gradient, first, span_of(moments_[i].second), weight);
        break;
      case OptimiserKind::sgd:
        sgd_update(rate, optimiser_.momentum, gradient, first, weight);
        break;
      case OptimiserKind::adagrad: adagrad_update(rate, gradient, first, weight); break;
    }
    weights_[i].mutable_grad().reset();
  }
}

}  // namespace tyto
