// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_graph.hpp"

#include <cmath>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/hardtanh.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>

#include "tyto/nn/kernels.hpp"
#include "tyto/nn/torch_layers.hpp"
#include "tyto/nn/torch_tensors.hpp"

namespace tyto {

namespace {

template <class... Calls>
struct Overloaded : Calls... {
  using Calls::operator()...;
};

// Pictures with channels side by side in memory, as oneDNN's convolutions like them best: a sixth
// to a half less time. Clips gain nothing.
at::Tensor packed(const at::Tensor& x) {
  return x.dim() == 4 ? x.contiguous(at::MemoryFormat::ChannelsLast) : x;
}

class Evaluation {
 public:
  Evaluation(const TorchGraph& network, bool packs, const GraphPass& pass, Index batch)
      : tensors_(network.tensors()), packs_(packs), stage_(pass.stage) {
    run_.batch = batch;
    run_.train = pass.train;
    run_.rng = pass.rng;
  }

  at::Tensor through(const GraphNodes& nodes, at::Tensor x) {
    for (const GraphNode& node : nodes) {
      x = one(node, x);
    }
    return x;
  }

  [[nodiscard]] at::Tensor laid_out(const at::Tensor& x) const { return packs_ ? packed(x) : x; }

  GraphAnswer answer;

 private:
  at::Tensor one(const GraphNode& node, const at::Tensor& x) {
    const NodeTensors own = node.tensors.empty() ? nullptr : tensors_.data() + node.first;
    bool kept = false;
    at::Tensor y = std::visit(
        Overloaded{
            [&](const ConvNode& n) { return convolved(n, own, node.tensors.size() > 1, x); },
            [&](const BatchNormNode& n) { return normed(n, own, node.tensors.size(), x); },
            [&](const ActivationNode& n) { return activated(n.kind, x); },
            [&](const PoolNode& n) { return pooled(n, x); },
            [&](const GlobalPoolNode& n) { return mean_over_positions(x, n.keep_axes); },
            [&](const AdaptivePoolNode& n) { return adaptively_pooled(n, x); },
            [&](const FlattenNode&) { return x.flatten(1); },
            [&](const ReshapeNode& n) {
              return laid_out(x.reshape({x.size(0), -1, n.height, n.width}));
            },
            [&](const LinearNode&) { return linear(own, x); },
            [&](const DropoutNode& n) { return run_.dropped(x, n.rate, false); },
            [&](const ResidualNode& n) { return summed(n, x); },
            [&](const JoinNode& n) { return joined(n, x); },
            [&](const GateNode&) { return gated(own, x); },
            [&](const FoldTimeNode&) { return laid_out(x.transpose(1, 2).flatten(0, 1)); },
            [&](const TokensNode& n) { return tokens_of(n, own, x, run_); },
            [&](const BlockNode& n) { return block_of(n, own, x, run_); },
            [&](const DividedBlockNode& n) { return divided_block_of(n, own, x, run_); },
            [&](const LayerNormNode&) { return normed_tokens(own, x); },
            [&](const ClassTokenNode&) { return x.select(1, 0); },
            [&](const MarkNode& n) {
              kept = keep(n, x);
              return x;
            },
        },
        node.kind);
    fresh_ = !kept && (fresh_ || !y.is_alias_of(x));
    return y;
  }

  at::Tensor normed(const BatchNormNode& node, NodeTensors own, std::size_t count,
                    const at::Tensor& x) const {
    const std::size_t statistics = count == 6 ? 4 : 2;  // of the split norms, where there are some
    return at::batch_norm(x, own[0], own[1], own[statistics], own[statistics + 1],
                          run_.train && own[0].requires_grad(), node.momentum, node.epsilon, false);
  }

  at::Tensor activated(Activation kind, const at::Tensor& x) const {
    const bool over = fresh_ && !at::GradMode::is_enabled();
    at::Tensor own = x;
    switch (kind) {
      case Activation::relu: return over ? at::relu_(own) : at::relu(x);
      case Activation::relu6: return over ? at::hardtanh_(own, 0, 6) : at::hardtanh(x, 0, 6);
      case Activation::swish: return over ? at::silu_(own) : at::silu(x);
      case Activation::leaky_relu:
        return over ? at::leaky_relu_(own, kLeakySlope) : at::leaky_relu(x, kLeakySlope);
      case Activation::sigmoid: return over ? at::sigmoid_(own) : at::sigmoid(x);
    }
    return x;
  }

  at::Tensor summed(const ResidualNode& node, const at::Tensor& x) {
    at::Tensor main = branch(node.main, x);
    const bool over = fresh_ && !at::GradMode::is_enabled();
    const at::Tensor side = node.shortcut.empty() ? x : branch(node.shortcut, x);
    return over ? main.add_(side) : main + side;
  }

  at::Tensor joined(const JoinNode& node, const at::Tensor& x) {
    std::vector<at::Tensor> made;
    for (const GraphNodes& nodes : node.branches) {
      made.push_back(branch(nodes, x));
    }
    if (!node.sum) {
      return at::cat(made, 1);
    }
    at::Tensor sum = made.front();
    for (std::size_t i = 1; i < made.size(); ++i) {
      sum = sum + made[i];
    }
    return sum;
  }

  at::Tensor branch(const GraphNodes& nodes, const at::Tensor& x) {
    fresh_ = false;  // others see x too
    return through(nodes, x);
  }

  // Whether x was kept as it is.
  bool keep(const MarkNode& node, const at::Tensor& x) {
    if (node.name == "feature") {
      answer.feature = per_input(mean_over_positions(x, false));
      return true;
    }
    if (node.name == "logits") {
      const bool several = x.dim() > 2 && x.size(0) * x.size(1) < x.numel();
      answer.logits = per_input(node.mean_of_softmax && several
                                    ? mean_over_positions(at::softmax(x, 1), false).log()
                                    : mean_over_positions(x, false));
      return true;
    }
    if (node.name == stage_) {
      answer.stage = x.reshape({run_.batch, -1});
      return true;
    }
    return false;
  }

  // The mean over the frames of an input, where they went through one by one.
  [[nodiscard]] at::Tensor per_input(const at::Tensor& rows) const {
    if (rows.size(0) == run_.batch) {
      return rows;
    }
    return rows.reshape({run_.batch, rows.size(0) / run_.batch, rows.size(1)}).mean(1);
  }

  const std::vector<at::Tensor>& tensors_;
  bool packs_;
  std::string_view stage_;
  GraphRun run_;
  bool fresh_ = false;  // nobody else sees what the last node made: the next may overwrite it
};

// Copies nodes, with batch norms taken into the convolutions before them.
class Folding {
 public:
  explicit Folding(const std::vector<at::Tensor>& tensors) : tensors_(tensors) {}

  GraphNodes fold(const GraphNodes& nodes) {
    GraphNodes made;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      GraphNode node = nodes[i];
      if (auto* residual = std::get_if<ResidualNode>(&node.kind)) {
        residual->main = fold(residual->main);
        residual->shortcut = fold(residual->shortcut);
      } else if (auto* join = std::get_if<JoinNode>(&node.kind)) {
        for (GraphNodes& branch : join->branches) {
          branch = fold(branch);
        }
      }
      const bool norm_follows = std::holds_alternative<ConvNode>(node.kind) &&
                                i + 1 < nodes.size() &&
                                std::holds_alternative<BatchNormNode>(nodes[i + 1].kind);
      if (norm_follows) {
        take_in(node, nodes[++i]);
      } else {
        const auto begin = tensors_.begin() + node.first;
        node.first = static_cast<Index>(kept.size());
        kept.insert(kept.end(), begin, begin + static_cast<std::ptrdiff_t>(node.tensors.size()));
        if (std::holds_alternative<ConvNode>(node.kind)) {
          kept[at(node.first)] = packed(kept[at(node.first)]);
        }
      }
      made.push_back(std::move(node));
    }
    return made;
  }

  std::vector<at::Tensor> kept;

 private:
  void take_in(GraphNode& conv, const GraphNode& norm) {
    const auto tensor = [&](const GraphNode& node, std::size_t i) {
      return tensors_[at(node.first) + i].to(at::kDouble);
    };
    const std::size_t statistics = norm.tensors.size() == 6 ? 4 : 2;
    const double epsilon = std::get<BatchNormNode>(norm.kind).epsilon;
    const at::Tensor scale = tensor(norm, 0) / (tensor(norm, statistics + 1) + epsilon).sqrt();
    at::Tensor mean = tensor(norm, statistics);
    if (conv.tensors.size() > 1) {
      mean = mean - tensor(conv, 1);
    }
    const at::Tensor weight = tensor(conv, 0);
    std::vector<std::int64_t> shape(static_cast<std::size_t>(weight.dim()), 1);
    shape[std::get<ConvNode>(conv.kind).transposed ? 1 : 0] = scale.size(0);
    conv.first = static_cast<Index>(kept.size());
    conv.tensors.resize(2);
    kept.push_back(packed((weight * scale.view(shape)).to(at::kFloat)));
    kept.push_back((tensor(norm, 1) - mean * scale).to(at::kFloat));
  }

  const std::vector<at::Tensor>& tensors_;
};

// Fan in and fan out as torch counts them.
std::pair<double, double> fans(const GraphTensor& tensor) {
  double field = 1.0;
  for (std::size_t i = 2; i < tensor.shape.size(); ++i) {
    field *= static_cast<double>(tensor.shape[i]);
  }
  return {field * static_cast<double>(tensor.shape.size() > 1 ? tensor.shape[1] : 1),
          field * static_cast<double>(tensor.shape[0])};
}

}  // namespace

TorchGraph::TorchGraph(Graph graph, std::vector<at::Tensor> tensors)
    : graph_(std::move(graph)), tensors_(std::move(tensors)) {}

GraphAnswer TorchGraph::forward(const at::Tensor& inputs, const GraphPass& pass) const {
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorKind::data,
                 fmt::format("the network cannot take inputs of {} x {} x {} x {} (channels, "
                             "frames, height, width): {}",
                             inputs.size(1), inputs.size(2), inputs.size(3), inputs.size(4), why));
  };
  if (inputs.size(1) != graph_.channels) {
    throw refuse(fmt::format("it sees {} channels", graph_.channels));
  }
  if (graph_.axes == 2 && inputs.size(2) != 1) {
    throw refuse("it sees single pictures");
  }
  Evaluation evaluation(*this, packed_, pass, inputs.size(0));
  try {
    const at::Tensor seen = graph_.axes == 2 ? inputs.squeeze(2) : inputs;
    evaluation.through(graph_.nodes, evaluation.laid_out(seen));
  } catch (const c10::Error& error) {  // a window larger than what is left, in torch's words
    const std::string words = error.what_without_backtrace();
    throw refuse(words.substr(0, words.find('\n')));
  } catch (const Error& error) {
    throw refuse(error.what());
  }
  return std::move(evaluation.answer);
}

TorchGraph TorchGraph::folded() const {
  const at::NoGradGuard no_gradient;
  Folding folding(tensors_);
  Graph graph = graph_;
  graph.nodes = folding.fold(graph_.nodes);
  graph.tensors.clear();
  TorchGraph made(std::move(graph), std::move(folding.kept));
  made.packed_ = true;
  return made;
}

std::vector<at::Tensor> started_tensors(const Graph& graph, const Rng& rng) {
  std::vector<at::Tensor> all;
  for (const GraphTensor& tensor : graph.tensors) {
    at::Tensor made =
        at::empty(std::vector<std::int64_t>(tensor.shape.begin(), tensor.shape.end()), at::kFloat);
    const auto [fan_in, fan_out] = fans(tensor);
    Rng draw = rng.fork(tensor.name);
    const auto fill = [&](const auto& value) {
      for (float& x : span_of(made)) {
        x = static_cast<float>(value());
      }
    };
    const auto uniform = [&](double bound) {
      fill([&] { return (2.0 * draw.uniform() - 1.0) * bound; });
    };
    const auto normal = [&](double deviation) { fill([&] { return deviation * draw.normal(); }); };
    switch (tensor.start) {
      case Start::zero: made.zero_(); break;
      case Start::one: made.fill_(1.0F); break;
      case Start::he: normal(std::sqrt(2.0 / fan_out)); break;
      case Start::fan_in: uniform(1.0 / std::sqrt(fan_in)); break;
      case Start::xavier: uniform(std::sqrt(6.0 / (fan_in + fan_out))); break;
      case Start::normal: normal(tensor.spread); break;
      case Start::uniform: uniform(tensor.spread); break;
    }
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace tyto
