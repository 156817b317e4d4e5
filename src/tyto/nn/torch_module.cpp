// SPDX-License-Identifier: Apache-2.0
// The one function that libtyto_nn.so exports for nn_module() to find.
#include <torch/csrc/api/include/torch/version.h>

#include "tyto/nn/module.hpp"
#include "tyto/nn/torch_network.hpp"

namespace tyto {

namespace {

struct TorchModule final : NnModule {
  [[nodiscard]] std::string torch_version() const override { return TORCH_VERSION; }

  [[nodiscard]] std::unique_ptr<Network> make_network(const NetworkSettings& settings,
                                                      const Rng& rng) const override {
    return make_torch_network(settings, rng);
  }
};

}  // namespace

}  // namespace tyto

extern "C" const tyto::NnModule* tyto_nn_module() {
  static const tyto::TorchModule module;
  return &module;
}
