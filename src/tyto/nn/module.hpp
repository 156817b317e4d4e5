// SPDX-License-Identifier: Apache-2.0
// The door to libtyto_nn.so, which alone links torch and is opened when a network is first made.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "tyto/nn/network.hpp"

namespace tyto {

struct NnModule : Interface {
  [[nodiscard]] virtual std::string torch_version() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Network> make_network(const NetworkSettings& settings,
                                                              const Rng& rng) const = 0;
};

// Opens the module beside libtyto.so on the first call (about 0.4 s) and keeps it. Thread safe.
// Throws Error(io) naming the file where it is missing or does not fit.
const NnModule& nn_module();

// The same from a file of one's own choice; never closed.
const NnModule& open_nn_module(const std::filesystem::path& file);

}  // namespace tyto
