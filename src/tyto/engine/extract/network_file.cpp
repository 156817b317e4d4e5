// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/extract/network_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/config.hpp"
#include "tyto/core/error.hpp"
#include "tyto/engine/extract/recipe_options.hpp"
#include "tyto/nn/backbones.hpp"

namespace tyto {

TensorFile network_file(const Network& network, const Recipe& recipe,
                        const std::vector<std::string>& classes) {
  const NetworkSettings& settings = network.settings();
  TYTO_ASSERT(settings.trunk && settings.encoder.empty());
  const BackboneSpec& spec = find_backbone(settings.trunk->backbone);
  State state;
  network.save(state);
  const Graph graph = spec.graph({.classes = settings.outputs});
  TensorFile file;
  for (const GraphTensor& tensor : graph.tensors) {
    const bool head = !graph.head.empty() && tensor.name.starts_with(graph.head + ".");
    const std::string saved =
        !head ? "trunk." + tensor.name
              : (tensor.name.ends_with(".weight") ? std::string("weight_0") : "bias_0");
    const auto& values = state.get<Matrix>(saved);
    file.tensors.push_back({tensor.name, tensor.shape,
                            std::vector<float>(values.data(), values.data() + values.size())});
  }
  file.metadata = {{kNetworkKey, spec.name},
                   {kRecipeKey, to_yaml(recipe_node(recipe))},
                   {kClassesKey, fmt::format("{}", fmt::join(classes, "\n"))}};
  return file;
}

}  // namespace tyto
