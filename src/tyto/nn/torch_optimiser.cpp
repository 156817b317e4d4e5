// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_optimiser.hpp"

#include <algorithm>
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
    names_.push_back(learned.name);
    OwnRate rate{"", optimiser_.learning_rate, optimiser_.decay};
    for (const OwnRate& own : optimiser_.own) {
      rate = learned.name.starts_with(own.prefix) ? own : rate;
    }
    rates_.push_back(std::move(rate));
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

double Descent::schedule() const {
  const double done = static_cast<double>(step_) / static_cast<double>(steps_);
  double factor = 1.0;
  if (optimiser_.schedule == RateSchedule::cosine) {
    factor = 0.5 * (1.0 + std::cos(std::numbers::pi * done));
  }
  for (const double drop : optimiser_.drops) {
    factor *= done >= drop ? 0.1 : 1.0;
  }
  return factor;
}

void Descent::step() {
  const double factor = schedule();
  ++step_;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& weight : weights_) {
    gradients.push_back(weight.grad().contiguous());
  }
  if (optimiser_.clip > 0.0) {
    clip(gradients);
  }
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const double rate = rates_[i].learning_rate * factor;
    if (rates_[i].decay > 0.0) {
      add_pull(rates_[i].decay, span_of(weights_[i]), span_of(gradients[i]));
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

void Descent::save(State& state) const {
  state.set("step", step_);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    state.set("first_" + names_[i], matrix_of(moments_[i].first));
    if (moments_[i].second.defined()) {
      state.set("second_" + names_[i], matrix_of(moments_[i].second));
    }
  }
}

void Descent::load(const State& state) {
  step_ = state.get<std::int64_t>("step");
  const auto take = [&](const std::string& name, const at::Tensor& into) {
    const auto& saved = state.get<Matrix>(name);
    if (saved.size() != into.numel()) {
      throw Error(ErrorKind::state, fmt::format("{} of the optimiser has {} values, the network {}",
                                                name, saved.size(), into.numel()));
    }
    std::copy_n(saved.data(), saved.size(), span_of(into).data());
  };
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    take("first_" + names_[i], moments_[i].first);
    if (moments_[i].second.defined()) {
      take("second_" + names_[i], moments_[i].second);
    }
  }
}

}  // namespace tyto
