// SPDX-License-Identifier: Apache-2.0
// The two containers of PyTorch: a zip of a pickle and storages (1.6 and later), and five pickles
// with the storages behind them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "tyto/nn/tensors/tensor_file.hpp"

namespace tyto {

// The first bytes of the older container.
bool is_legacy_torch(std::span<const std::byte> file);

// The state dictionary in them, or the tensor that they hold without one, if that may be. Throw
// Error(data) beginning with `name`.
std::vector<NamedTensor> read_torch_zip(std::span<const std::byte> file, std::string_view name,
                                        bool may_be_bare = false);
std::vector<NamedTensor> read_legacy_torch(std::span<const std::byte> file, std::string_view name,
                                           bool may_be_bare = false);

}  // namespace tyto
