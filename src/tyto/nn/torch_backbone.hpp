// SPDX-License-Identifier: Apache-2.0
// Inside the module only: networks described as data, and TorchScript files, as backbones.
#pragma once

#include <memory>

#include "tyto/nn/module.hpp"

namespace tyto {

std::unique_ptr<Backbone> make_torch_backbone(const BackboneSpec& spec, const TensorFile& weights,
                                              const BackboneSettings& settings);
std::unique_ptr<Backbone> make_torch_backbone(const BackboneSpec& spec, const Rng& rng,
                                              const BackboneSettings& settings);
std::unique_ptr<Backbone> open_torch_script(const std::filesystem::path& path, const Recipe& recipe,
                                            const ScriptSettings& settings);

}  // namespace tyto
