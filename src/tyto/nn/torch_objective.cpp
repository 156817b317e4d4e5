// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_objective.hpp"

#include <algorithm>

#include <ATen/ops/add.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>

#include "tyto/nn/kernels.hpp"

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

at::Tensor of_variables(const Variables& variables, const at::Tensor& told,
                        const at::Tensor& logits) {
  at::Tensor sum;
  const auto add = [&](const at::Tensor& term) { sum = sum.defined() ? sum + term : term; };
  if (!variables.numbers.empty()) {
    const at::Tensor columns = view(variables.numbers);
    const at::Tensor gap = logits.index_select(1, columns) - told.index_select(1, columns);
    add((gap * gap).sum());
  }
  for (const std::vector<Index>& word : variables.words) {
    const at::Tensor columns = view(word);
    const at::Tensor log_p = at::log_softmax(logits.index_select(1, columns), 1);
    add(-(told.index_select(1, columns) * log_p).sum());
  }
  return sum / static_cast<double>(logits.size(0));
}

// The mean over views of the log sum over the others, less the mean over its companions: those of
// the same number.
at::Tensor apart_from_others(const at::Tensor& unit, const std::vector<std::int64_t>& number,
                             double temperature) {
  const auto views = static_cast<Index>(number.size());
  const at::Tensor products = unit.mm(unit.t()) / temperature;
  const at::Tensor self = at::eye(views, at::kBool);
  const at::Tensor numbers = view(number);
  const at::Tensor companions =
      numbers.unsqueeze(0).eq(numbers.unsqueeze(1)).masked_fill(self, false).to(at::kFloat);
  const at::Tensor drawn = (products * companions).sum(1) / companions.sum(1);
  return (at::logsumexp(products.masked_fill(self, -1e30), {1}) - drawn).mean();
}

at::Tensor contrasted(const Contrast& how, const std::vector<std::int64_t>& targets,
                      const at::Tensor& one, const at::Tensor& two) {
  const at::Tensor both = at::cat({one, two});
  const at::Tensor unit = both / both.norm(2, 1, true).clamp_min(1e-12);
  const auto samples = static_cast<Index>(targets.size());
  std::vector<std::int64_t> sample, known, target;
  for (Index v = 0; v < 2 * samples; ++v) {
    sample.push_back(v % samples);
    if (const std::int64_t own = targets[static_cast<std::size_t>(v % samples)]; own >= 0) {
      known.push_back(v);
      target.push_back(own);
    }
  }
  at::Tensor loss = (1.0 - how.labelled) * apart_from_others(unit, sample, how.temperature);
  if (!known.empty() && how.labelled > 0.0) {
    const at::Tensor rows = view(known).clone();  // looked at again when gradients go back
    loss = loss +
           how.labelled * apart_from_others(unit.index_select(0, rows), target, how.temperature);
  }
  return loss;
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

GaussianSpread GaussianSpread::unit(Index width) {
  return {at::ones({1}, at::kFloat), at::zeros({width}, at::kFloat)};
}

GaussianSpread GaussianSpread::copy() const {
  return {sigma.clone(), delta.clone()};
}

GaussianSpread GaussianSpread::with_gradients() const {
  return {sigma.detach().requires_grad_(), delta.detach().requires_grad_()};
}

std::vector<LearnedTensor> GaussianSpread::tensors() const {
  return {{"sigma", sigma}, {"delta", delta}};
}

void GaussianSpread::save(State& state) const {
  for (const LearnedTensor& own : tensors()) {
    state.set(own.name, matrix_of(own.tensor));
  }
}

void GaussianSpread::load(const State& state) const {
  for (const LearnedTensor& own : tensors()) {
    const auto& saved = state.get<Matrix>(own.name);
    if (saved.size() != own.tensor.numel()) {
      throw Error(ErrorKind::state, fmt::format("the saved network has {} values of {}, not {}",
                                                saved.size(), own.name, own.tensor.numel()));
    }
    std::copy_n(saved.data(), saved.size(), span_of(own.tensor).data());
  }
}

at::Tensor GaussianSpread::variance() const {
  const at::Tensor root = sigma + delta;
  return (root * root).clamp_min(kLeastVariance);
}

at::Tensor gaussian_loss(const ClassGaussians& how, const at::Tensor& embedding,
                         const at::Tensor& weight, const GaussianSpread& spread,
                         const std::vector<std::int64_t>& targets) {
  const at::Tensor variance = spread.variance();
  const at::Tensor means = weight.index_select(0, view(targets)) * variance;
  const double half = 0.5 / static_cast<double>(embedding.size(0));
  const auto distances = [&](const at::Tensor& v, const at::Tensor& s) {
    const at::Tensor gap = v - means;
    return (gap * gap / s).sum() * half;
  };
  const at::Tensor fit = 0.5 * variance.log().sum() + distances(embedding.detach(), variance);
  return how.weight * (distances(embedding, variance.detach()) + how.likelihood * fit);
}

at::Tensor with_noise(const at::Tensor& rows, const Reconstruction& how, std::uint64_t key) {
  if (!(how.noise > 0.0)) {
    return rows;
  }
  at::Tensor noise = at::empty(rows.sizes(), at::kFloat);
  draw_noise(how.noise, key, span_of(noise));
  noise.add_(rows);
  return how.within_unit ? noise.clamp_(0.0, 1.0) : noise;
}

at::Tensor reconstruction_loss(const Reconstruction& how, const at::Tensor& outputs,
                               const at::Tensor& rows) {
  const at::Tensor loss = at::mse_loss(outputs, rows);
  return how.weight == 1.0 ? loss : loss * how.weight;
}

at::Tensor loss_of(const Objective& objective, const Batch& batch, const at::Tensor& logits,
                   const at::Tensor& second) {
  at::Tensor loss;
  const auto add = [&](double factor, const at::Tensor& term) {
    const at::Tensor scaled = factor == 1.0 ? term : term * factor;
    loss = loss.defined() ? loss + scaled : scaled;
  };
  const double second_view = second.defined() ? objective.second_view : 0.0;
  if (objective.cross_entropy > 0.0) {
    add(objective.cross_entropy * (1.0 - second_view), cross_entropy(logits, batch));
  }
  if (second_view > 0.0 && objective.cross_entropy > 0.0) {
    add(objective.cross_entropy * second_view, cross_entropy(second, batch));
  }
  if (objective.distil.weight > 0.0 && batch.soft.size() > 0) {
    add(objective.distil.weight, distillation(objective.distil, view(batch.soft), logits));
  }
  if (objective.logit_match > 0.0 && batch.match.size() > 0) {
    add(objective.logit_match, matching(view(batch.match), logits));
  }
  if (objective.reconstruction.weight > 0.0) {
    add(1.0, reconstruction_loss(objective.reconstruction, logits, view(batch.rows)));
  }
  if (objective.variables.weight > 0.0) {
    add(objective.variables.weight, of_variables(objective.variables, view(batch.match), logits));
  }
  if (objective.contrast.weight > 0.0) {
    TYTO_ASSERT(second.defined());
    add(objective.contrast.weight, contrasted(objective.contrast, batch.targets, logits, second));
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
