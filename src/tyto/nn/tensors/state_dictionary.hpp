// SPDX-License-Identifier: Apache-2.0
// The state dictionary in what a pickle says, and its tensors as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tyto/nn/tensors/pickle.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"

namespace tyto {

// `storages` are the bytes of pickle.storages, each at least as long as its count says. Refuses
// what would come to more than four times `file_size`. Where a tensor may be bare, one without a
// dictionary around it is the only one, called "". Throws Error(data) beginning with `name`.
std::vector<NamedTensor> state_dictionary(const Pickle& pickle,
                                          std::span<const std::span<const std::byte>> storages,
                                          std::size_t file_size, std::string_view name,
                                          bool may_be_bare = false);

// Bytes that this many elements take; none where the number does not fit into 64 bits.
std::optional<std::uint64_t> bytes_of(const PickledStorage& storage);

}  // namespace tyto
