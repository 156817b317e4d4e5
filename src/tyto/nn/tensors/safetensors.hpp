// SPDX-License-Identifier: Apache-2.0
// .safetensors: a length, a header in JSON that says what lies where, and the numbers.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tyto/nn/tensors/tensor_file.hpp"

namespace tyto {

// Throws Error(data) beginning with `name`.
TensorFile read_safetensors(std::span<const std::byte> file, std::string_view name);

// The whole file, all tensors as float32; equal content, equal bytes.
std::string to_safetensors(const TensorFile& content);

}  // namespace tyto
