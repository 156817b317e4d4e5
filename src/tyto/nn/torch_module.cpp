// SPDX-License-Identifier: Apache-2.0
// The one function that libtyto_nn.so exports for nn_module() to find.
#include <torch/csrc/api/include/torch/version.h>

#include "tyto/nn/module.hpp"
#include "tyto/nn/torch_backbone.hpp"
#include "tyto/nn/torch_graph_network.hpp"
#include "tyto/nn/torch_network.hpp"

namespace tyto {

namespace {

struct TorchModule final : NnModule {
  [[nodiscard]] std::string torch_version() const override { return TORCH_VERSION; }

  [[nodiscard]] std::unique_ptr<Network> make_network(const NetworkSettings& settings,
                                                      const Rng& rng) const override {
    return make_torch_network(settings, rng);
  }

  [[nodiscard]] std::unique_ptr<GraphNetwork> make_graph_network(
      const GraphNetworkSettings& settings, const Rng& rng) const override {
    return make_torch_graph_network(settings, rng);
  }

  [[nodiscard]] std::unique_ptr<Backbone> make_backbone(
      const BackboneSpec& spec, const TensorFile& weights,
      const BackboneSettings& settings) const override {
    return make_torch_backbone(spec, weights, settings);
  }

  [[nodiscard]] std::unique_ptr<Backbone> make_backbone(
      const BackboneSpec& spec, const Rng& rng, const BackboneSettings& settings) const override {
    return make_torch_backbone(spec, rng, settings);
  }

  [[nodiscard]] std::unique_ptr<Backbone> open_torchscript(
      const std::filesystem::path& path, const Recipe& recipe,
      const ScriptSettings& settings) const override {
    return open_torch_script(path, recipe, settings);
  }
};

}  // namespace

}  // namespace tyto

extern "C" const tyto::NnModule* tyto_nn_module() {
  static const tyto::TorchModule module;
  return &module;
}
