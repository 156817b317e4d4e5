// SPDX-License-Identifier: Apache-2.0
// The door to libtyto_nn.so, which alone links torch and is opened when a network is first made.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tyto/nn/backbones.hpp"
#include "tyto/nn/graph_network.hpp"
#include "tyto/nn/network.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"

namespace tyto {

struct BackboneSettings {
  std::string stage = "";  // of mark_names(): the feature is what is there, flat; "": as published
  bool released = false;   // negative features become 0, as the released scripts of KOWL save them
  std::vector<std::string> classes = {};  // names of the logits; {}: unknown
  Index width = 0;  // of the head of a network made from nothing; 0: as published
};

struct ScriptSettings {
  // Which entry of a tuple or dictionary that the module returns; of dictionaries by name. A module
  // that returns one tensor returns the feature.
  std::string feature = "0", logits = "1";
  bool clips = false;  // it sees N,C,T,H,W; else N,C,H,W
  std::vector<std::string> classes = {};
};

struct NnModule : Interface {
  [[nodiscard]] virtual std::string torch_version() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Network> make_network(const NetworkSettings& settings,
                                                              const Rng& rng) const = 0;
  [[nodiscard]] virtual std::unique_ptr<GraphNetwork> make_graph_network(
      const GraphNetworkSettings& settings, const Rng& rng) const = 0;
  // With these weights. Throws Error(data) where they are not those of the network, and
  // Error(config) for a stage that it does not have.
  [[nodiscard]] virtual std::unique_ptr<Backbone> make_backbone(
      const BackboneSpec& spec, const TensorFile& weights,
      const BackboneSettings& settings = {}) const = 0;
  // One that has learned nothing yet.
  [[nodiscard]] virtual std::unique_ptr<Backbone> make_backbone(
      const BackboneSpec& spec, const Rng& rng, const BackboneSettings& settings = {}) const = 0;
  // Throws Error(data) naming the file.
  [[nodiscard]] virtual std::unique_ptr<Backbone> open_torchscript(
      const std::filesystem::path& path, const Recipe& recipe,
      const ScriptSettings& settings = {}) const = 0;
};

// Opens the module beside libtyto.so on the first call (about 0.4 s) and keeps it. Thread safe.
// Throws Error(io) naming the file where it is missing or does not fit.
const NnModule& nn_module();

// The same from a file of one's own choice; never closed.
const NnModule& open_nn_module(const std::filesystem::path& file);

}  // namespace tyto
