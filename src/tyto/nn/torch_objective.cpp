// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_objective.hpp"

#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>

namespace tyto {

namespace {

at::Tensor cross_entropy(const at::Tensor& logits, const Batch& batch) {
  const at::Tensor targets = view(batch.targets);
  if (batch.weights.empty()) {
    return at::cross_entropy_loss(logits, targets);
  }
  const at::Tensor each =
      at::cross_entropy_loss(logits, targets, /*weight=*/{}, at::Reduction::None);
  return (each * view(batch.weights)).mean();
}

// Samples whose teacher says nothing (NaN) are left out; the mean is over all samples.
at::Tensor distillation(const Distil& distil, const at::Tensor& teacher, const at::Tensor& logits) {
  const at::Tensor own = logits.narrow(1, 0, teacher.size(1));
  const at::Tensor silent = at::isnan(teacher);
  const at::Tensor told = at::nan_to_num(teacher);
  const auto samples = static_cast<double>(logits.size(0));
  at::Tensor each;
  if (distil.kind == DistilKind::softmax) {
    const at::Tensor lowest = told.masked_fill(silent, -1e30);  // no belief in what was not there
    const at::Tensor p = at::softmax(lowest / distil.temperature, 1);
    const at::Tensor log_q =
        at::log_softmax(own.masked_fill(silent, -1e30) / distil.temperature, 1);
    each = -(p * log_q).masked_fill(silent, 0.0);
  } else {
    each = at::binary_cross_entropy_with_logits(own / distil.temperature,
                                                at::sigmoid(told / distil.temperature), {}, {},
                                                at::Reduction::None)
               .masked_fill(silent, 0.0);
  }
  return each.sum() / samples;
}

at::Tensor matching(const at::Tensor& wanted, const at::Tensor& logits) {
  const at::Tensor silent = at::isnan(wanted);
  const at::Tensor gap =
      (logits.narrow(1, 0, wanted.size(1)) - at::nan_to_num(wanted)).masked_fill(silent, 0.0);
  const at::Tensor told = silent.logical_not().sum(1).clamp_min(1);
  return ((gap * gap).sum(1) / told).sum() / static_cast<double>(logits.size(0));
}

std::vector<Layer> layers_from(const State& state, const std::vector<Layer>& layers) {
  std::vector<Layer> out;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const auto& weight = state.get<Matrix>(weight_name(l));
    const auto& bias = state.get<Matrix>(bias_name(l));
    const bool is_head = l + 1 == layers.size();
    const Index rows = layers[l].weight.size(0);
    if (weight.cols() != layers[l].weight.size(1) || bias.cols() != weight.rows() ||
        (is_head ? weight.rows() > rows : weight.rows() != rows)) {
      throw Error(ErrorKind::state,
                  fmt::format("an anchor has {} x {} weights in layer {}, the network {} x {}",
                              weight.rows(), weight.cols(), l, rows, layers[l].weight.size(1)));
    }
    out.push_back({view(weight).clone(), view(bias).reshape({weight.rows()}).clone()});
  }
  return out;
}

}  // namespace

at::Tensor loss_of(const Objective& objective, const Batch& batch, const at::Tensor& logits,
                   const at::Tensor& second) {
  at::Tensor loss;
  const auto add = [&](double factor, const at::Tensor& term) {
    const at::Tensor scaled = factor == 1.0 ? term : term * factor;
    loss = loss.defined() ? loss + scaled : scaled;
  };
  const double second_view = second.defined() ? objective.second_view : 0.0;
  add(objective.cross_entropy * (1.0 - second_view), cross_entropy(logits, batch));
  if (second_view > 0.0) {
    add(objective.cross_entropy * second_view, cross_entropy(second, batch));
  }
  if (objective.distil.weight > 0.0 && batch.soft.size() > 0) {
    add(objective.distil.weight, distillation(objective.distil, view(batch.soft), logits));
  }
  if (objective.logit_match > 0.0 && batch.match.size() > 0) {
    add(objective.logit_match, matching(view(batch.match), logits));
  }
  return loss;
}

AnchorPull::AnchorPull(const std::vector<Anchor>& anchors, const std::vector<Layer>& layers) {
  for (const Anchor& anchor : anchors) {
    terms_.push_back(
        {anchor.weight, layers_from(anchor.importance, layers), layers_from(anchor.at, layers)});
  }
}

double AnchorPull::loss(const std::vector<Layer>& layers) const {
  const auto of = [](const at::Tensor& now, const at::Tensor& at, const at::Tensor& importance) {
    const at::Tensor gap = now.detach().narrow(0, 0, at.size(0)) - at;
    return (importance * gap * gap).sum().item<double>();
  };
  double sum = 0.0;
  for (const Term& term : terms_) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      sum += term.weight * (of(layers[l].weight, term.at[l].weight, term.importance[l].weight) +
                            of(layers[l].bias, term.at[l].bias, term.importance[l].bias));
    }
  }
  return sum;
}

void AnchorPull::add_to_gradients(const std::vector<Layer>& layers) const {
  const auto pull = [](const at::Tensor& now, const at::Tensor& at, const at::Tensor& importance,
                       double weight) {
    const at::Tensor gap = now.detach().narrow(0, 0, at.size(0)) - at;
    now.mutable_grad().narrow(0, 0, at.size(0)).add_(importance * gap, 2.0 * weight);
  };
  for (const Term& term : terms_) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      pull(layers[l].weight, term.at[l].weight, term.importance[l].weight, term.weight);
      pull(layers[l].bias, term.at[l].bias, term.importance[l].bias, term.weight);
    }
  }
}

}  // namespace tyto
