// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_trunk.hpp"

#include <algorithm>
#include <variant>

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"
#include "tyto/nn/weights.hpp"

namespace tyto {

namespace {

std::string trunk_name(const GraphTensor& tensor) {
  return "trunk." + tensor.name;
}

bool is_block(const GraphNode& node) {
  return std::holds_alternative<ResidualNode>(node.kind) ||
         std::holds_alternative<JoinNode>(node.kind) ||
         std::holds_alternative<BlockNode>(node.kind) ||
         std::holds_alternative<DividedBlockNode>(node.kind);
}

bool is_convolution(const GraphNode& node) {
  return std::holds_alternative<ConvNode>(node.kind);
}

void mark_tensors(const GraphNode& node, std::vector<bool>& taught) {
  for (std::size_t k = 0; k < node.tensors.size(); ++k) {
    taught[at(node.first) + k] = !node.tensors[k].statistics;
  }
  if (const auto* residual = std::get_if<ResidualNode>(&node.kind)) {
    for (const GraphNodes* nodes : {&residual->main, &residual->shortcut}) {
      for (const GraphNode& inner : *nodes) {
        mark_tensors(inner, taught);
      }
    }
  }
  if (const auto* join = std::get_if<JoinNode>(&node.kind)) {
    for (const GraphNodes& branch : join->branches) {
      for (const GraphNode& inner : branch) {
        mark_tensors(inner, taught);
      }
    }
  }
}

std::vector<bool> taught_tensors(const Graph& graph, Taught how) {
  std::vector<bool> out(graph.tensors.size(), false);
  std::size_t from = graph.nodes.size();
  if (how == Taught::whole) {
    from = 0;
  } else if (how == Taught::last) {
    const auto last = [&](bool (*is)(const GraphNode&)) {
      const auto it = std::find_if(graph.nodes.rbegin(), graph.nodes.rend(), is);
      return static_cast<std::size_t>(graph.nodes.rend() - it);
    };
    const std::size_t place = std::max(last(is_block), last(is_convolution));
    from = place == 0 ? 0 : place - 1;
  }
  for (std::size_t n = from; n < graph.nodes.size(); ++n) {
    mark_tensors(graph.nodes[n], out);
  }
  return out;
}

TorchGraph made_network(const TrunkSettings& settings, const BackboneSpec& spec, const Rng& rng) {
  Graph graph = spec.graph({});  // no head
  std::vector<at::Tensor> tensors = started_tensors(graph, rng);
  if (!settings.weights.empty()) {
    const TensorFile file = read_tensors(settings.weights);
    const MatchedWeights matched = match_weights(spec, file);
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      const auto same = std::find_if(matched.graph.tensors.begin(), matched.graph.tensors.end(),
                                     [&](const GraphTensor& other) {
                                       return other.name == graph.tensors[i].name &&
                                              other.shape == graph.tensors[i].shape;
                                     });
      if (same == matched.graph.tensors.end()) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: {} has another shape than {} as published has it",
                                settings.weights.string(), graph.tensors[i].name, spec.name));
      }
      const auto& values =
          matched.values[static_cast<std::size_t>(same - matched.graph.tensors.begin())];
      std::copy(values.begin(), values.end(), span_of(tensors[i]).begin());
    }
  }
  return {std::move(graph), std::move(tensors)};
}

}  // namespace

TorchTrunk::TorchTrunk(const TrunkSettings& settings, TorchGraph network, std::vector<bool> taught,
                       Index features)
    : settings_(settings),
      network_(std::move(network)),
      taught_(std::move(taught)),
      features_(features) {}

TorchTrunk::TorchTrunk(const TrunkSettings& settings, const Rng& rng)
    : TorchTrunk(settings, made_network(settings, find_backbone(settings.backbone), rng), {},
                 find_backbone(settings.backbone).features) {
  taught_ = taught_tensors(network_.graph(), settings.taught);
}

TorchTrunk TorchTrunk::copy() const {
  std::vector<at::Tensor> tensors;
  for (const at::Tensor& tensor : network_.tensors()) {
    tensors.push_back(tensor.detach().clone());
  }
  return {settings_, TorchGraph(network_.graph(), std::move(tensors)), taught_, features_};
}

TorchTrunk TorchTrunk::with_gradients() const {
  std::vector<at::Tensor> tensors;
  for (std::size_t i = 0; i < network_.tensors().size(); ++i) {
    const at::Tensor shared = network_.tensors()[i].detach();
    tensors.push_back(taught_[i] ? shared.requires_grad_() : shared);
  }
  return {settings_, TorchGraph(network_.graph(), std::move(tensors)), taught_, features_};
}

at::Tensor TorchTrunk::forward(const at::Tensor& rows, Index segments, const Rng* train) const {
  const Index height = settings_.height, width = settings_.width;
  at::Tensor scale = at::empty({1, 3, 1, 1, 1}, at::kFloat);
  at::Tensor shift = at::empty({1, 3, 1, 1, 1}, at::kFloat);
  for (std::size_t c = 0; c < 3; ++c) {
    span_of(scale)[c] = 1.0F / (255.0F * settings_.deviation[c]);
    span_of(shift)[c] = -settings_.mean[c] / settings_.deviation[c];
  }
  at::Tensor pictures;
  if (is_of_clips()) {
    pictures = rows.reshape({rows.size(0) / segments, segments, 3, height, width})
                   .permute({0, 2, 1, 3, 4});
  } else {
    pictures = rows.reshape({rows.size(0), 3, 1, height, width});
  }
  GraphPass pass;
  pass.train = train != nullptr;
  pass.rng = train;
  return network_.forward(pictures * scale + shift, pass).feature;
}

std::vector<LearnedTensor> TorchTrunk::taught() const {
  std::vector<LearnedTensor> out;
  for (std::size_t i = 0; i < taught_.size(); ++i) {
    if (taught_[i]) {
      out.push_back({trunk_name(network_.graph().tensors[i]), network_.tensors()[i]});
    }
  }
  return out;
}

void TorchTrunk::save(State& state) const {
  for (std::size_t i = 0; i < network_.tensors().size(); ++i) {
    state.set(trunk_name(network_.graph().tensors[i]),
              matrix_of(network_.tensors()[i].contiguous()));
  }
}

void TorchTrunk::load(const State& state) {
  for (std::size_t i = 0; i < network_.tensors().size(); ++i) {
    const std::string name = trunk_name(network_.graph().tensors[i]);
    const auto& saved = state.get<Matrix>(name);
    const at::Tensor& own = network_.tensors()[i];
    if (saved.size() != own.numel()) {
      throw Error(ErrorKind::state, fmt::format("the saved network has {} values of {}, not {}",
                                                saved.size(), name, own.numel()));
    }
    std::copy_n(saved.data(), saved.size(), span_of(own).data());
  }
}

}  // namespace tyto
