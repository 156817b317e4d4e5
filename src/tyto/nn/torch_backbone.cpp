// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/torch_backbone.hpp"

#include <algorithm>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "tyto/core/files/files.hpp"
#include "tyto/core/named.hpp"
#include "tyto/nn/torch_graph.hpp"
#include "tyto/nn/torch_tensors.hpp"
#include "tyto/nn/weights.hpp"

namespace tyto {

namespace {

void check_classes(const std::vector<std::string>& names, Index width) {
  if (!names.empty() && static_cast<Index>(names.size()) != width) {
    throw Error(ErrorKind::data, fmt::format("there are names of {} classes and the network has {}",
                                             names.size(), width));
  }
}

std::string digest_of(const BackboneSpec& spec, const BackboneSettings& settings,
                      const std::vector<at::Tensor>& tensors) {
  std::string all = fmt::format("{} {} {}", spec.name, settings.stage, settings.released);
  for (const at::Tensor& tensor : tensors) {
    all += " " + digest(std::as_bytes(std::span<const float>(span_of(tensor))));
  }
  return digest(std::as_bytes(std::span<const char>(all)));
}

class GraphBackbone final : public Backbone {
 public:
  GraphBackbone(const BackboneSpec& spec, const TorchGraph& network,
                const BackboneSettings& settings)
      : Backbone({.name = spec.name,
                  .recipe = spec.recipe,
                  .digest = digest_of(spec, settings, network.tensors()),
                  .classes = settings.classes}),
        settings_(settings),
        network_(network.folded()) {
    if (!settings.stage.empty()) {
      const std::vector<std::string> stages = mark_names(network.graph());
      if (std::find(stages.begin(), stages.end(), settings.stage) == stages.end()) {
        throw unknown_name("stage of " + spec.name, settings.stage, stages);
      }
    }
  }

  [[nodiscard]] BackboneAnswer run(std::span<const float> inputs, Index batch,
                                   const ClipShape& shape) const override {
    TYTO_ASSERT(static_cast<Index>(inputs.size()) == batch * shape.size());
    if (batch == 0) {
      return {};
    }
    keep_thread_count();
    const at::NoGradGuard no_gradient;
    const at::Tensor clips =
        view(inputs).view({batch, shape.channels, shape.frames, shape.height, shape.width});
    const GraphAnswer answer = network_.forward(clips, {.stage = settings_.stage});
    at::Tensor feature = settings_.stage.empty() || settings_.stage == "feature" ? answer.feature
                         : settings_.stage == "logits"                           ? answer.logits
                                                                                 : answer.stage;
    if (settings_.released) {
      feature = feature.clamp_min(0);
    }
    return {matrix_of(feature.contiguous()),
            answer.logits.defined() ? matrix_of(answer.logits.contiguous()) : Matrix(batch, 0)};
  }

 private:
  BackboneSettings settings_;
  TorchGraph network_;
};

}  // namespace

std::unique_ptr<Backbone> make_torch_backbone(const BackboneSpec& spec, const TensorFile& weights,
                                              const BackboneSettings& settings) {
  keep_thread_count();
  const MatchedWeights matched = match_weights(spec, weights);
  Index classes = 0;
  std::vector<at::Tensor> tensors;
  for (std::size_t i = 0; i < matched.values.size(); ++i) {
    const GraphTensor& tensor = matched.graph.tensors[i];
    at::Tensor made =
        at::empty(std::vector<std::int64_t>(tensor.shape.begin(), tensor.shape.end()), at::kFloat);
    std::copy(matched.values[i].begin(), matched.values[i].end(), span_of(made).begin());
    if (tensor.name == matched.graph.head + ".weight") {
      classes = tensor.shape[0];
    }
    tensors.push_back(std::move(made));
  }
  check_classes(settings.classes, classes);
  return std::make_unique<GraphBackbone>(spec, TorchGraph(matched.graph, std::move(tensors)),
                                         settings);
}

std::unique_ptr<Backbone> make_torch_backbone(const BackboneSpec& spec, const Rng& rng,
                                              const BackboneSettings& settings) {
  keep_thread_count();
  const Index classes = settings.width > 0 ? settings.width : spec.classes;
  check_classes(settings.classes, classes);
  Graph graph = spec.graph({.classes = classes});
  std::vector<at::Tensor> tensors = started_tensors(graph, rng);
  return std::make_unique<GraphBackbone>(spec, TorchGraph(std::move(graph), std::move(tensors)),
                                         settings);
}

}  // namespace tyto
