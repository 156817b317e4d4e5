// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_network.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "tyto/core/parallel.hpp"
#include "tyto/nn/kernels.hpp"
#include "tyto/nn/torch_epochs.hpp"
#include "tyto/nn/torch_objective.hpp"
#include "tyto/nn/torch_trunk.hpp"

namespace tyto {

namespace {

constexpr Index kPicturesTogether = 64;  // through a trunk in prediction
constexpr Index kLeastTrunk = 100;       // multiply-adds of a trunk per number of its input

at::Tensor drawn(at::IntArrayRef shape, Index inputs, Rng rng) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
  for (float& value : span_of(tensor)) {
    value = static_cast<float>((2.0 * rng.uniform() - 1.0) * bound);
  }
  return tensor;
}

Layer drawn_layer(Index inputs, Index outputs, const Rng& rng) {
  return {drawn({outputs, inputs}, inputs, rng.fork("weight")),
          drawn({outputs}, inputs, rng.fork("bias"))};
}

Layer small_layer(Index inputs, Index outputs, const Rng& rng) {
  Layer layer{at::empty({outputs, inputs}, at::kFloat), at::zeros({outputs}, at::kFloat)};
  Rng draw = rng.fork("weight");
  for (float& value : span_of(layer.weight)) {
    value = static_cast<float>(0.001 * draw.normal());
  }
  return layer;
}

struct Dropout {  // of one training step
  double rate;
  std::uint64_t key;
  Rng trunk;
  bool alike = false;  // one mask for all rows, and none within the trunk
};

// All that is learned: hidden layers, then the output layer, and what stands before them.
struct Learned {
  std::vector<Layer> layers;
  std::optional<TorchTrunk> trunk;
  std::optional<GaussianSpread> spread;

  [[nodiscard]] std::vector<LearnedTensor> tensors() const {
    std::vector<LearnedTensor> all = learned_tensors(layers);
    if (spread) {
      for (LearnedTensor& tensor : spread->tensors()) {
        all.push_back(std::move(tensor));
      }
    }
    if (trunk) {
      for (LearnedTensor& tensor : trunk->taught()) {
        all.push_back(std::move(tensor));
      }
    }
    return all;
  }
};

struct Answer {
  at::Tensor logits, embedding;  // a row per sample
};

// What a hidden layer makes of its sums, and the derivative of that.
at::Tensor dropped_slope(const at::Tensor& z, const Dropout& dropout, std::size_t layer) {
  at::Tensor slope = at::empty(z.sizes(), at::kFloat);
  if (!dropout.alike) {
    dropout_slope(span_of(z), dropout.rate, dropout.key, layer, span_of(slope));
    return slope;
  }
  const at::Tensor mask = at::empty({z.size(1)}, at::kFloat);
  dropout_slope(span_of(at::ones({z.size(1)}, at::kFloat)), dropout.rate, dropout.key, layer,
                span_of(mask));
  dropout_slope(span_of(z), 0.0, 0, 0, span_of(slope));
  return slope.mul_(mask);
}

// The same graph for training (with dropout) and prediction; gradients flow where asked for.
Answer run(const Learned& learned, const NetworkSettings& settings, const at::Tensor& rows,
           Index segments, const Dropout* dropout) {
  const std::vector<EncoderLayer>& encoder = settings.encoder;
  const std::vector<Layer>& layers = learned.layers;
  at::Tensor x = rows;
  if (learned.trunk) {
    x = learned.trunk->forward(rows, segments,
                               dropout == nullptr || dropout->alike ? nullptr : &dropout->trunk);
    segments = learned.trunk->is_of_clips() ? 1 : segments;
  }
  at::Tensor a = x;
  for (std::size_t l = 0; l < encoder.size(); ++l) {
    const at::Tensor z = at::addmm(layers[l].bias, a, layers[l].weight.t());
    at::Tensor h;
    if (dropout == nullptr) {
      h = at::leaky_relu(z, kLeakySlope);
    } else {  // as slope * z with a constant slope: one pass, and its derivative comes for free
      h = at::mul(z, dropped_slope(z, *dropout, l));
    }
    switch (encoder[l].join) {
      case Join::none: a = h; break;
      case Join::add: a = at::add(h, a); break;
      case Join::concat: a = at::cat({h, x}, 1); break;
    }
  }
  if (segments > 1) {  // the mean of the rows of a sample
    a = a.reshape({a.size(0) / segments, segments, a.size(1)}).mean(1);
  }
  if (settings.radius > 0.0) {
    a = a * (settings.radius / a.norm(2, 1, true).clamp_min(1e-12));
  }
  return {at::addmm(layers.back().bias, a, layers.back().weight.t()), a};
}

class TorchNetwork final : public Network {
 public:
  explicit TorchNetwork(const NetworkSettings& settings) : settings_(settings) {}  // no layers yet

  TorchNetwork(const NetworkSettings& settings, const Rng& rng) : settings_(settings) {
    TYTO_ASSERT(settings.inputs > 0 && settings.outputs > 0);
    if (settings.trunk) {
      TYTO_ASSERT(settings.inputs == 3 * settings.trunk->height * settings.trunk->width);
      trunk_.emplace(*settings.trunk, rng.fork("trunk"));
    }
    check_joins();
    for (std::size_t l = 0; l <= settings_.encoder.size(); ++l) {
      layers_.push_back(
          drawn_layer(inputs_of(l), outputs_of(l), rng.fork("layer", std::uint64_t{l})));
    }
    if (settings.class_gaussians) {
      spread_ = GaussianSpread::unit(inputs_of(settings_.encoder.size()));
    }
  }

  [[nodiscard]] const NetworkSettings& settings() const override { return settings_; }

  [[nodiscard]] std::unique_ptr<Network> copy() const override {
    auto other = std::make_unique<TorchNetwork>(settings_);
    for (const Layer& layer : layers_) {
      other->layers_.push_back({layer.weight.clone(), layer.bias.clone()});
    }
    if (trunk_) {
      other->trunk_.emplace(trunk_->copy());
    }
    if (spread_) {
      other->spread_ = spread_->copy();
    }
    return other;
  }

  void grow(Index outputs, const Rng& rng, NewOutputs start) override {
    TYTO_ASSERT(outputs >= settings_.outputs);
    if (outputs == settings_.outputs) {
      return;
    }
    Layer& head = layers_.back();
    const auto draw = start == NewOutputs::small ? small_layer : drawn_layer;
    const Layer more = draw(inputs_of(settings_.encoder.size()), outputs - settings_.outputs, rng);
    head = {at::cat({head.weight, more.weight}), at::cat({head.bias, more.bias})};
    settings_.outputs = outputs;
  }

  void replace_outputs(Index outputs, const Rng& rng) override {
    TYTO_ASSERT(outputs > 0);
    layers_.back() = drawn_layer(inputs_of(settings_.encoder.size()), outputs, rng);
    settings_.outputs = outputs;
  }

  double fit(Index samples, const DrawBatch& draw, const Training& training, Work& work) override {
    TYTO_ASSERT(samples > 0 && training.batch > 0 && training.epochs > 0);
    keep_thread_count();
    const Index size = std::min(samples, training.batch);
    const FewThreads few(multiply_adds(size * training.segments));
    const Learned leaves = with_gradients(training.objective.class_gaussians.weight > 0.0);
    const Rng masks = work.rng.fork("dropout");
    return run_epochs({samples, draw, training, work}, leaves.tensors(),
                      [&](const Batch& batch, std::uint64_t step) {
                        const Dropout dropout = masks_of(masks, step);
                        return batch_loss(leaves, batch, training, &dropout);
                      });
  }

  [[nodiscard]] State importance(Index samples, const DrawBatch& draw, ImportanceKind kind,
                                 const Training& training, Work& work) const override {
    keep_thread_count();
    const bool released =
        kind == ImportanceKind::fisher_released || kind == ImportanceKind::mas_released;
    const bool fisher = kind == ImportanceKind::fisher || kind == ImportanceKind::fisher_released;
    const Learned leaves = with_gradients();
    const std::vector<LearnedTensor> weights = leaves.tensors();
    std::vector<at::Tensor> sums;
    for (const LearnedTensor& weight : weights) {
      sums.push_back(at::zeros(weight.tensor.sizes(), at::kFloat));
    }
    const Rng masks = work.rng.fork("dropout");
    const Rng draws = work.rng.fork("draw");
    const std::vector<Index> order = work.rng.fork("shuffle").permutation(samples);
    Batch batch;
    std::uint64_t step = 0;
    // Adds the gradient over these samples, mended by `mend`, to the sums.
    const auto add = [&](Index begin, Index count, const Dropout* dropout, const auto& mend) {
      const at::Tensor x =
          view(batch.rows.middleRows(begin * training.segments, count * training.segments));
      const at::Tensor logits = run(leaves, settings_, x, training.segments, dropout).logits;
      at::Tensor value;
      if (fisher) {
        value = at::cross_entropy_loss(logits, view(std::span<const std::int64_t>(batch.targets)
                                                        .subspan(static_cast<std::size_t>(begin),
                                                                 static_cast<std::size_t>(count))));
      } else {
        value = released ? logits.norm(2, 1).mean() : (logits * logits).sum();
      }
      value.backward();
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const at::NoGradGuard no_gradient;
        sums[i].add_(mend(weights[i].tensor.grad()));
        weights[i].tensor.mutable_grad().reset();
      }
    };
    in_blocks(samples, std::min(samples, training.batch), [&](Index begin, Index count) {
      work.progress.pulse();
      draw(Rows(order).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)),
           draws.fork("step", step), batch);
      const Dropout dropout = masks_of(masks, step);
      ++step;
      if (released) {
        const FewThreads few(multiply_adds(count * training.segments));
        add(0, count, &dropout, [](const at::Tensor& g) { return g; });
        return;
      }
      const FewThreads few(multiply_adds(training.segments));
      for (Index i = 0; i < count; ++i) {
        add(i, 1, nullptr, [&](const at::Tensor& g) { return fisher ? at::mul(g, g) : g.abs(); });
      }
    });
    for (at::Tensor& sum : sums) {
      sum = !released ? sum / static_cast<double>(samples) : fisher ? sum * sum : sum.abs();
    }
    State state;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      state.set(weights[i].name, matrix_of(sums[i]));
    }
    return state;
  }

  [[nodiscard]] Matrix forward(const MatrixView& rows, Index segments,
                               Matrix* embedding) const override {
    return passed(rows, segments, nullptr, embedding);
  }

  [[nodiscard]] Matrix forward_thinned(const MatrixView& rows, Index segments,
                                       const Rng& masks) const override {
    const Dropout dropout{settings_.dropout, masks.key(), masks, true};
    return passed(rows, segments, &dropout, nullptr);
  }

  [[nodiscard]] OutputLayer output_layer() const override {
    return {matrix_of(layers_.back().weight), matrix_of(layers_.back().bias)};
  }

  [[nodiscard]] Matrix pull_back(const MatrixView& rows, const MatrixView& weight) const override {
    TYTO_ASSERT(weight.rows() == rows.rows() && weight.cols() == settings_.outputs);
    keep_thread_count();
    const FewThreads few(multiply_adds(rows.rows()));
    Matrix out(rows.rows(), settings_.inputs);
    in_blocks(rows.rows(), together(rows.rows(), 1), [&](Index begin, Index count) {
      const at::Tensor x = view(rows.middleRows(begin, count)).requires_grad_();
      run(shared(), settings_, x, 1, nullptr)
          .logits.backward(view(weight.middleRows(begin, count)));
      out.middleRows(begin, count) = matrix_of(x.grad().contiguous());
    });
    return out;
  }

  [[nodiscard]] double gradient(const Batch& batch, const Training& training,
                                State& gradients) const override {
    keep_thread_count();
    const FewThreads few(multiply_adds(batch.rows.rows()));
    const Learned leaves = with_gradients(training.objective.class_gaussians.weight > 0.0);
    const std::vector<LearnedTensor> weights = leaves.tensors();
    const AnchorPull anchors(training.objective.anchors, weights);
    const at::Tensor loss = batch_loss(leaves, batch, training, nullptr);
    loss.backward();
    anchors.add_to_gradients();
    for (const LearnedTensor& weight : weights) {
      gradients.set(weight.name, matrix_of(weight.tensor.grad().contiguous()));
    }
    return loss.item<float>() + anchors.loss();
  }

  void save(State& state) const override {
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      state.set(weight_name(l), matrix_of(layers_[l].weight));
      state.set(bias_name(l), matrix_of(layers_[l].bias));
    }
    if (trunk_) {
      trunk_->save(state);
    }
    if (spread_) {
      spread_->save(state);
    }
  }

  void load(const State& state) override {
    std::vector<Layer> layers;
    for (std::size_t l = 0; l <= settings_.encoder.size(); ++l) {
      const auto& weight = state.get<Matrix>(weight_name(l));
      const auto& bias = state.get<Matrix>(bias_name(l));
      const Index outputs = l < settings_.encoder.size() ? outputs_of(l) : weight.rows();
      if (weight.rows() != outputs || weight.cols() != inputs_of(l) || bias.rows() != 1 ||
          bias.cols() != outputs || outputs == 0) {
        throw Error(
            ErrorKind::state,
            fmt::format("the saved network has {} x {} weights and {} biases in layer {}, "
                        "which do not fit {} inputs and {} outputs there",
                        weight.rows(), weight.cols(), bias.size(), l, inputs_of(l), outputs));
      }
      layers.push_back({view(weight).clone(), view(bias).reshape({outputs}).clone()});
    }
    if (trunk_) {
      trunk_->load(state);
    }
    if (spread_) {
      spread_->load(state);
    }
    layers_ = std::move(layers);
    settings_.outputs = layers_.back().weight.size(0);
  }

 private:
  // Samples that go through at once: pictures take much more memory inside the network than
  // outside.
  [[nodiscard]] Index together(Index samples, Index segments) const {
    return std::max<Index>(1, trunk_ ? kPicturesTogether / segments : samples);
  }

  [[nodiscard]] Matrix passed(const MatrixView& rows, Index segments, const Dropout* dropout,
                              Matrix* embedding) const {
    TYTO_ASSERT(rows.rows() % segments == 0);
    keep_thread_count();
    const FewThreads few(multiply_adds(rows.rows()));
    const at::NoGradGuard no_gradient;
    const Learned learned = shared();
    const Index samples = rows.rows() / segments;
    Matrix logits(samples, settings_.outputs);
    Matrix seen;
    in_blocks(samples, together(samples, segments), [&](Index begin, Index count) {
      const Answer answer =
          run(learned, settings_, view(rows.middleRows(begin * segments, count * segments)),
              segments, dropout);
      logits.middleRows(begin, count) = matrix_of(answer.logits);
      if (embedding != nullptr) {
        const Matrix part = matrix_of(answer.embedding.contiguous());
        seen.resize(samples, part.cols());
        seen.middleRows(begin, count) = part;
      }
    });
    if (embedding != nullptr) {
      *embedding = std::move(seen);
    }
    return logits;
  }

  [[nodiscard]] Dropout masks_of(const Rng& masks, std::uint64_t step) const {
    const Rng own = masks.fork("step", step);
    return {settings_.dropout, own.key(), own.fork("trunk")};
  }

  [[nodiscard]] at::Tensor batch_loss(const Learned& leaves, const Batch& batch,
                                      const Training& training, const Dropout* dropout) const {
    const Objective& objective = training.objective;
    const auto answer_of = [&](const Matrix& rows, const Dropout* masks) {
      at::Tensor seen = view(rows);
      if (objective.reconstruction.weight > 0.0 && masks != nullptr) {
        seen = with_noise(seen, objective.reconstruction, mix(masks->key, "noise"));
      }
      return run(leaves, settings_, seen, training.segments, masks);
    };
    at::Tensor second;
    const bool has_second = objective.second_view > 0.0 || objective.contrast.weight > 0.0;
    if (has_second && batch.second.size() > 0) {
      if (dropout == nullptr) {
        second = answer_of(batch.second, nullptr).logits;
      } else {
        const Dropout own{settings_.dropout, mix(dropout->key, "second"),
                          dropout->trunk.fork("second")};
        second = answer_of(batch.second, &own).logits;
      }
    }
    const Answer answer = answer_of(batch.rows, dropout);
    const at::Tensor loss = loss_of(objective, batch, answer.logits, second);
    if (!leaves.spread) {
      return loss;
    }
    return loss + gaussian_loss(objective.class_gaussians, answer.embedding,
                                leaves.layers.back().weight, *leaves.spread, batch.targets);
  }

  void check_joins() const {
    for (std::size_t l = 0; l < settings_.encoder.size(); ++l) {
      const EncoderLayer& layer = settings_.encoder[l];
      TYTO_ASSERT(layer.units > 0);
      if (layer.join == Join::add && layer.units != inputs_of(l)) {
        throw Error(ErrorKind::config,
                    fmt::format("skip \"add\" adds a layer's input to its output, so hidden ({}) "
                                "must equal the width of what layer {} sees ({})",
                                layer.units, l, inputs_of(l)));
      }
    }
  }

  [[nodiscard]] Index inputs_of(std::size_t layer) const {
    const Index features = trunk_ ? trunk_->features() : settings_.inputs;
    if (layer == 0) {
      return features;
    }
    const EncoderLayer& before = settings_.encoder[layer - 1];
    return before.units + (before.join == Join::concat ? features : 0);
  }

  [[nodiscard]] Index outputs_of(std::size_t layer) const {
    return layer < settings_.encoder.size() ? settings_.encoder[layer].units : settings_.outputs;
  }

  [[nodiscard]] Index multiply_adds(Index rows) const {  // of a forward pass; of a trunk, at least
    Index weights = trunk_ ? settings_.inputs * kLeastTrunk : 0;
    for (const Layer& layer : layers_) {
      weights += layer.weight.numel();
    }
    return rows * weights;
  }

  // The same storage, watched by an autograd of their own: a const network can be derived.
  [[nodiscard]] Learned with_gradients(bool spread = false) const {
    Learned leaves;
    for (const Layer& layer : layers_) {
      leaves.layers.push_back(
          {layer.weight.detach().requires_grad_(), layer.bias.detach().requires_grad_()});
    }
    if (trunk_) {
      leaves.trunk.emplace(trunk_->with_gradients());
    }
    if (spread_ && spread) {
      leaves.spread = spread_->with_gradients();
    }
    return leaves;
  }

  [[nodiscard]] Learned shared() const { return {layers_, trunk_, spread_}; }

  NetworkSettings settings_;
  std::vector<Layer> layers_;  // hidden ones, then the output layer
  std::optional<TorchTrunk> trunk_;
  std::optional<GaussianSpread> spread_;
};

}  // namespace

std::unique_ptr<Network> make_torch_network(const NetworkSettings& settings, const Rng& rng) {
  return std::make_unique<TorchNetwork>(settings, rng);
}

}  // namespace tyto
