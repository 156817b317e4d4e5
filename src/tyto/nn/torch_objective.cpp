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

at::Tensor anchored(const State& state, const LearnedTensor& weight) {
  const auto& saved = state.get<Matrix>(weight.name);
  const at::Tensor& now = weight.tensor;
  const bool vector = now.dim() < 2;
  const Index rows = vector ? saved.cols() : saved.rows();
  const Index columns = vector ? 1 : saved.cols();
  const Index own = now.size(0) == 0 ? 0 : now.numel() / now.size(0);
  if (columns != own || (vector && saved.rows() != 1) ||
      (weight.grows ? rows > now.size(0) : rows != now.size(0))) {
    throw Error(ErrorKind::state,
                fmt::format("an anchor has {} x {} values of {}, the network {} x {}", rows,
                            columns, weight.name, now.size(0), own));
  }
  std::vector<std::int64_t> shape = now.sizes().vec();
  shape[0] = rows;
  return view(saved).reshape(shape).clone();
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

AnchorPull::AnchorPull(const std::vector<Anchor>& anchors,
                       const std::vector<LearnedTensor>& weights) {
  for (const Anchor& anchor : anchors) {
    for (const LearnedTensor& weight : weights) {
      terms_.push_back({anchor.weight, weight.tensor, anchored(anchor.importance, weight),
                        anchored(anchor.at, weight)});
    }
  }
}

double AnchorPull::loss() const {
  double sum = 0.0;
  for (const Term& term : terms_) {
    const at::Tensor gap = term.now.detach().narrow(0, 0, term.at.size(0)) - term.at;
    sum += term.weight * (term.importance * gap * gap).sum().item<double>();
  }
  return sum;
}

void AnchorPull::add_to_gradients() const {
  for (const Term& term : terms_) {
    const at::Tensor gap = term.now.detach().narrow(0, 0, term.at.size(0)) - term.at;
    term.now.mutable_grad()
        .narrow(0, 0, term.at.size(0))
        .add_(term.importance * gap, 2.0 * term.weight);
  }
}

}  // namespace tyto
