// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_graph_network.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/sub.h>

#include "tyto/core/parallel.hpp"
#include "tyto/nn/torch_epochs.hpp"
#include "tyto/nn/torch_graph.hpp"
#include "tyto/nn/torch_objective.hpp"

namespace tyto {

namespace {

constexpr Index kRowsTogether = 128;  // in prediction: what lies between input and output is large
constexpr std::string_view kOutput = "output";

class TorchGraphNetwork final : public GraphNetwork {
 public:
  TorchGraphNetwork(const GraphNetworkSettings& settings, const Rng& rng)
      : settings_(settings), network_(settings.graph, started_tensors(settings.graph, rng)) {}

  [[nodiscard]] const GraphNetworkSettings& settings() const override { return settings_; }

  double fit(Index samples, const DrawBatch& draw, const Training& training, Work& work) override {
    TYTO_ASSERT(samples > 0 && training.batch > 0 && training.epochs > 0);
    TYTO_ASSERT(training.objective.reconstruction.weight > 0.0);
    keep_thread_count();
    std::vector<LearnedTensor> weights;
    const TorchGraph leaves = with_gradients(weights);
    const Rng masks = work.rng.fork("dropout");
    const Rng noise = work.rng.fork("noise");
    const auto loss = [&](const Batch& batch, std::uint64_t step) {
      const Reconstruction& how = training.objective.reconstruction;
      const Rng own = masks.fork("step", step);
      const at::Tensor clean = view(batch.rows);
      const at::Tensor seen = with_noise(clean, how, noise.fork("step", step).key());
      GraphPass pass;
      pass.train = true;
      pass.rng = &own;
      pass.stage = kOutput;
      return reconstruction_loss(how, outputs_of(leaves, seen, pass), clean);
    };
    return run_epochs({samples, draw, training, work}, weights, loss);
  }

  [[nodiscard]] Matrix forward(const MatrixView& rows) const override {
    Matrix out;
    each_block(rows, [&](Index begin, const at::Tensor&, const at::Tensor& output) {
      out.resize(rows.rows(), output.size(1));
      out.middleRows(begin, output.size(0)) = matrix_of(output);
    });
    return out;
  }

  [[nodiscard]] std::vector<float> errors(const MatrixView& rows) const override {
    std::vector<float> out(at(rows.rows()));
    each_block(rows, [&](Index begin, const at::Tensor& input, const at::Tensor& output) {
      const at::Tensor gap = at::sub(output, input);
      const at::Tensor mean = (gap * gap).mean(1).contiguous();
      std::copy_n(span_of(mean).data(), mean.numel(), out.data() + begin);
    });
    return out;
  }

  void save(State& state) const override {
    for (std::size_t i = 0; i < network_.tensors().size(); ++i) {
      state.set(network_.graph().tensors[i].name, matrix_of(network_.tensors()[i]));
    }
  }

  void load(const State& state) override {
    for (std::size_t i = 0; i < network_.tensors().size(); ++i) {
      const std::string& name = network_.graph().tensors[i].name;
      const auto& saved = state.get<Matrix>(name);
      const at::Tensor& own = network_.tensors()[i];
      if (saved.size() != own.numel()) {
        throw Error(ErrorKind::state, fmt::format("the saved network has {} values of {}, not {}",
                                                  saved.size(), name, own.numel()));
      }
      std::copy_n(saved.data(), saved.size(), span_of(own).data());
    }
  }

 private:
  // The same storage, watched by an autograd of its own.
  [[nodiscard]] TorchGraph with_gradients(std::vector<LearnedTensor>& weights) const {
    std::vector<at::Tensor> tensors;
    for (std::size_t i = 0; i < network_.tensors().size(); ++i) {
      const GraphTensor& told = network_.graph().tensors[i];
      at::Tensor shared = network_.tensors()[i].detach();
      if (!told.statistics) {
        shared.requires_grad_();
        weights.push_back({told.name, shared});
      }
      tensors.push_back(std::move(shared));
    }
    return {network_.graph(), std::move(tensors)};
  }

  [[nodiscard]] at::Tensor outputs_of(const TorchGraph& network, const at::Tensor& rows,
                                      const GraphPass& pass) const {
    const at::Tensor pictures = rows.reshape(
        {rows.size(0), settings_.graph.channels, 1, settings_.height, settings_.width});
    return network.forward(pictures, pass).stage;
  }

  // body(first row, inputs, outputs)
  template <class Body>
  void each_block(const MatrixView& rows, const Body& body) const {
    TYTO_ASSERT(rows.cols() == settings_.graph.channels * settings_.height * settings_.width);
    keep_thread_count();
    const at::NoGradGuard no_gradient;
    const TorchGraph quick = network_.folded();
    GraphPass pass;
    pass.stage = kOutput;
    in_blocks(rows.rows(), kRowsTogether, [&](Index begin, Index count) {
      const at::Tensor input = view(rows.middleRows(begin, count));
      body(begin, input, outputs_of(quick, input, pass).contiguous());
    });
  }

  GraphNetworkSettings settings_;
  TorchGraph network_;
};

}  // namespace

std::unique_ptr<GraphNetwork> make_torch_graph_network(const GraphNetworkSettings& settings,
                                                       const Rng& rng) {
  return std::make_unique<TorchGraphNetwork>(settings, rng);
}

}  // namespace tyto
