// SPDX-License-Identifier: Apache-2.0
// Files of named tensors: .safetensors, and the two containers of PyTorch through a reader that
// runs nothing of what is in them. Without torch.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"

namespace tyto {

struct NamedTensor {
  std::string name;
  std::vector<Index> shape;   // {} is one number
  std::vector<float> values;  // row by row; integers and other floats converted
};

struct TensorFile {
  std::vector<NamedTensor> tensors;             // in the order of the file
  std::map<std::string, std::string> metadata;  // of .safetensors; else empty
};

// The kind is told by the first bytes, never by the suffix. Of a PyTorch file the state dictionary,
// also where it stands inside a training file. Allocates no more than a small multiple of the file.
// Throws Error(data) naming the file, and what in it is not as it must be.
TensorFile read_tensors(const std::filesystem::path& path);
// Likewise of the bytes of a file; `name` stands in messages.
TensorFile read_tensors(std::span<const std::byte> bytes, std::string_view name);

// The only tensor of a file: what torch.save(tensor) wrote, or a file of named tensors that has
// one. Its name may be "". Throws Error(data) naming the file, also where it holds several.
NamedTensor read_one_tensor(const std::filesystem::path& path);

// float32; written beside and renamed. Throws Error(io).
void write_safetensors(const TensorFile& content, const std::filesystem::path& path);

}  // namespace tyto
