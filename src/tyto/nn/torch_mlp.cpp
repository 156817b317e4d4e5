// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_mlp.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <omp.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/nn/kernels.hpp"

namespace tyto {

namespace {

// torch sets OpenMP's thread count to its own at the first call of each thread; ours shall stay.
void keep_thread_count() {
  thread_local int told = 0;
  const int threads = thread_count();
  if (told != threads) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    at::set_num_threads(threads);
    told = at::get_num_threads();
  }
}

// Below this many multiply-adds waking the other threads costs more than they save, and on a busy
// machine waiting for them costs a hundred times more.
constexpr Index kWorthThreads = Index{1} << 23;

// The calling thread works alone while this lives, in torch, BLAS and our loops, if work is small.
class FewThreads {
 public:
  explicit FewThreads(Index multiply_adds) : before_(thread_count()) {
    if (multiply_adds < kWorthThreads) {
      omp_set_num_threads(1);
    }
  }

  ~FewThreads() { omp_set_num_threads(before_); }

  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;

 private:
  int before_;
};

at::Tensor view(const MatrixView& rows) {  // shares the rows, which must outlive it
  return at::from_blob(const_cast<float*>(rows.data()), {rows.rows(), rows.cols()},
                       {rows.outerStride(), 1}, at::kFloat);
}

at::Tensor view(std::span<const std::int64_t> values) {
  return at::from_blob(const_cast<std::int64_t*>(values.data()),
                       {static_cast<std::int64_t>(values.size())}, at::kLong);
}

std::span<float> span_of(const at::Tensor& tensor) {
  TYTO_ASSERT(tensor.is_contiguous());
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

Matrix matrix_of(const at::Tensor& tensor) {  // a vector becomes one row
  const Index columns = tensor.size(-1);
  return Eigen::Map<const Matrix>(span_of(tensor).data(), tensor.numel() / columns, columns);
}

struct Layer {
  at::Tensor weight, bias;  // outputs x inputs, outputs
};

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

struct Dropout {  // of one training step
  double rate;
  std::uint64_t key;
};

struct Answer {
  at::Tensor logits, embedding;
};

// The same graph for training (with dropout) and prediction; gradients flow where asked for.
Answer run(const std::vector<Layer>& layers, MlpSkip skip, const at::Tensor& x,
           const Dropout* dropout) {
  at::Tensor a = x;
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) {
    const at::Tensor z = at::addmm(layers[l].bias, a, layers[l].weight.t());
    at::Tensor h;
    if (dropout == nullptr) {
      h = at::leaky_relu(z, kLeakySlope);
    } else {  // as slope * z with a constant slope: one pass, and its derivative comes for free
      const at::Tensor slope = at::empty(z.sizes(), at::kFloat);
      dropout_slope(span_of(z), dropout->rate, dropout->key, l, span_of(slope));
      h = at::mul(z, slope);
    }
    a = skip == MlpSkip::none ? h : skip == MlpSkip::add ? at::add(h, a) : at::cat({h, x}, 1);
  }
  return {at::addmm(layers.back().bias, a, layers.back().weight.t()), a};
}

std::string weight_name(std::size_t layer) {
  return fmt::format("weight_{}", layer);
}

std::string bias_name(std::size_t layer) {
  return fmt::format("bias_{}", layer);
}

class Adam {
 public:
  Adam(std::vector<at::Tensor> weights, double learning_rate)
      : weights_(std::move(weights)), learning_rate_(learning_rate) {
    for (const at::Tensor& weight : weights_) {
      moments_.emplace_back(at::zeros(weight.sizes(), at::kFloat),
                            at::zeros(weight.sizes(), at::kFloat));
    }
  }

  void step() {  // uses the gradients up
    ++step_;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const at::Tensor gradient = weights_[i].grad().contiguous();
      adam_update({learning_rate_, step_}, span_of(gradient), span_of(moments_[i].first),
                  span_of(moments_[i].second), span_of(weights_[i]));
      weights_[i].mutable_grad().reset();
    }
  }

 private:
  std::vector<at::Tensor> weights_;
  std::vector<std::pair<at::Tensor, at::Tensor>> moments_;
  double learning_rate_;
  std::int64_t step_ = 0;
};

class TorchMlp final : public Mlp {
 public:
  TorchMlp(const MlpSettings& settings, const Rng& rng) : settings_(settings) {
    TYTO_ASSERT(settings.inputs > 0 && settings.hidden > 0 && settings.layers > 0 &&
                settings.outputs > 0);
    if (settings.skip == MlpSkip::add && settings.hidden != settings.inputs) {
      throw Error(
          ErrorKind::config,
          fmt::format("mlp: skip \"add\" adds a layer's input to its output, so hidden ({}) "
                      "must equal the width of the features ({})",
                      settings.hidden, settings.inputs));
    }
    for (Index l = 0; l <= settings.layers; ++l) {
      layers_.push_back(drawn_layer(inputs_of(l),
                                    l < settings.layers ? settings.hidden : settings.outputs,
                                    rng.fork("layer", static_cast<std::uint64_t>(l))));
    }
  }

  [[nodiscard]] const MlpSettings& settings() const override { return settings_; }

  void grow(Index outputs, const Rng& rng) override {
    TYTO_ASSERT(outputs >= settings_.outputs);
    if (outputs == settings_.outputs) {
      return;
    }
    Layer& head = layers_.back();
    const Layer more = drawn_layer(inputs_of(settings_.layers), outputs - settings_.outputs, rng);
    head = {at::cat({head.weight, more.weight}), at::cat({head.bias, more.bias})};
    settings_.outputs = outputs;
  }

  void replace_outputs(Index outputs, const Rng& rng) override {
    TYTO_ASSERT(outputs > 0);
    layers_.back() = drawn_layer(inputs_of(settings_.layers), outputs, rng);
    settings_.outputs = outputs;
  }

  double fit(Index rows, const DrawBatch& draw, const MlpTraining& training, Work& work) override {
    TYTO_ASSERT(rows > 0 && training.batch > 0 && training.epochs > 0);
    keep_thread_count();
    const FewThreads few(multiply_adds(std::min(rows, training.batch)));
    const std::vector<Layer> leaves = with_gradients();
    Adam adam(parameters(leaves), training.learning_rate);
    Matrix features;
    std::vector<std::int64_t> targets;
    const Rng masks = work.rng.fork("dropout");
    double mean = 0.0;
    std::uint64_t step = 0;
    for (Index epoch = 0; epoch < training.epochs; ++epoch) {
      const auto order =
          work.rng.fork("shuffle", static_cast<std::uint64_t>(epoch)).permutation(rows);
      mean = 0.0;
      in_blocks(rows, training.batch, [&](Index begin, Index count) {
        work.progress.pulse();
        draw(Rows(order).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)),
             features, targets);
        const Dropout dropout{settings_.dropout, masks.fork("step", step++).key()};
        const at::Tensor loss = at::cross_entropy_loss(
            run(leaves, settings_.skip, view(features), &dropout).logits, view(targets));
        const double value = loss.item<float>();
        if (!std::isfinite(value)) {
          throw Error(
              ErrorKind::numeric,
              fmt::format("mlp: the loss of step {} is {}; a learning_rate below {} may help", step,
                          value, training.learning_rate));
        }
        mean += value * static_cast<double>(count) / static_cast<double>(rows);
        loss.backward();
        adam.step();
      });
    }
    return mean;
  }

  [[nodiscard]] Matrix forward(const MatrixView& rows, Matrix* embedding) const override {
    keep_thread_count();
    const FewThreads few(multiply_adds(rows.rows()));
    const at::NoGradGuard no_gradient;
    const Answer answer = run(layers_, settings_.skip, view(rows), nullptr);
    if (embedding != nullptr) {
      *embedding = matrix_of(answer.embedding);
    }
    return matrix_of(answer.logits);
  }

  [[nodiscard]] MlpOutputLayer output_layer() const override {
    return {matrix_of(layers_.back().weight), matrix_of(layers_.back().bias)};
  }

  [[nodiscard]] Matrix pull_back(const MatrixView& rows, const MatrixView& weight) const override {
    TYTO_ASSERT(weight.rows() == rows.rows() && weight.cols() == settings_.outputs);
    if (rows.rows() == 0) {
      return Matrix(0, settings_.inputs);
    }
    keep_thread_count();
    const FewThreads few(multiply_adds(rows.rows()));
    const at::Tensor x = view(rows).requires_grad_();
    run(layers_, settings_.skip, x, nullptr).logits.backward(view(weight));
    return matrix_of(x.grad().contiguous());
  }

  [[nodiscard]] double gradient(const MatrixView& rows, std::span<const std::int64_t> targets,
                                State& gradients) const override {
    keep_thread_count();
    const FewThreads few(multiply_adds(rows.rows()));
    const std::vector<Layer> leaves = with_gradients();
    const at::Tensor loss = at::cross_entropy_loss(
        run(leaves, settings_.skip, view(rows), nullptr).logits, view(targets));
    loss.backward();
    for (std::size_t l = 0; l < leaves.size(); ++l) {
      gradients.set(weight_name(l), matrix_of(leaves[l].weight.grad().contiguous()));
      gradients.set(bias_name(l), matrix_of(leaves[l].bias.grad().contiguous()));
    }
    return loss.item<float>();
  }

  void save(State& state) const override {
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      state.set(weight_name(l), matrix_of(layers_[l].weight));
      state.set(bias_name(l), matrix_of(layers_[l].bias));
    }
  }

  void load(const State& state) override {
    std::vector<Layer> layers;
    for (Index l = 0; l <= settings_.layers; ++l) {
      const auto at = static_cast<std::size_t>(l);
      const auto& weight = state.get<Matrix>(weight_name(at));
      const auto& bias = state.get<Matrix>(bias_name(at));
      const Index outputs = l < settings_.layers ? settings_.hidden : weight.rows();
      if (weight.rows() != outputs || weight.cols() != inputs_of(l) || bias.rows() != 1 ||
          bias.cols() != outputs || outputs == 0) {
        throw Error(
            ErrorKind::state,
            fmt::format("the saved mlp has {} x {} weights and {} biases in layer {}, which "
                        "do not fit {} inputs and {} hidden units",
                        weight.rows(), weight.cols(), bias.size(), l, settings_.inputs,
                        settings_.hidden));
      }
      layers.push_back({view(weight).clone(), view(bias).reshape({outputs}).clone()});
    }
    layers_ = std::move(layers);
    settings_.outputs = layers_.back().weight.size(0);
  }

 private:
  [[nodiscard]] Index inputs_of(Index layer) const {
    return layer == 0
               ? settings_.inputs
               : settings_.hidden + (settings_.skip == MlpSkip::concat ? settings_.inputs : 0);
  }

  [[nodiscard]] Index multiply_adds(Index rows) const {  // of a forward pass
    Index weights = 0;
    for (const Layer& layer : layers_) {
      weights += layer.weight.numel();
    }
    return rows * weights;
  }

  // The same storage, watched by an autograd of their own: a const network can be derived.
  [[nodiscard]] std::vector<Layer> with_gradients() const {
    std::vector<Layer> leaves;
    for (const Layer& layer : layers_) {
      leaves.push_back(
          {layer.weight.detach().requires_grad_(), layer.bias.detach().requires_grad_()});
    }
    return leaves;
  }

  static std::vector<at::Tensor> parameters(const std::vector<Layer>& layers) {
    std::vector<at::Tensor> all;
    for (const Layer& layer : layers) {
      all.push_back(layer.weight);
      all.push_back(layer.bias);
    }
    return all;
  }

  MlpSettings settings_;
  std::vector<Layer> layers_;  // hidden ones, then the output layer
};

}  // namespace

std::unique_ptr<Mlp> make_torch_mlp(const MlpSettings& settings, const Rng& rng) {
  return std::make_unique<TorchMlp>(settings, rng);
}

}  // namespace tyto
