// SPDX-License-Identifier: Apache-2.0
// A file of tensors of any kind, as a user may have downloaded it.
#include <cstdlib>
#include <span>

#include "fuzz/entry_points.hpp"

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/element_type.hpp"
#include "tyto/nn/tensors/safetensors.hpp"
#include "tyto/nn/tensors/tensor_file.hpp"

namespace tyto {

int fuzz_tensors(const std::uint8_t* bytes, std::size_t size) {
  TensorFile content;
  try {
    content = read_tensors(std::as_bytes(std::span(bytes, size)), "fuzz");
  } catch (const Error&) {
    return 0;
  }
  std::size_t held = 0;
  for (const NamedTensor& tensor : content.tensors) {
    held += tensor.values.size() * sizeof(float);
    if (element_count(tensor.shape) != std::ssize(tensor.values)) {
      std::abort();
    }
  }
  if (held > 4 * size) {
    std::abort();
  }
  std::string written;
  try {
    written = to_safetensors(content);
  } catch (const Error&) {
    return 0;  // a name that is not UTF-8
  }
  const TensorFile back = read_tensors(std::as_bytes(std::span(written)), "written");
  if (back.tensors.size() != content.tensors.size()) {
    std::abort();
  }
  for (std::size_t i = 0; i < back.tensors.size(); ++i) {
    if (back.tensors[i].name != content.tensors[i].name ||
        back.tensors[i].shape != content.tensors[i].shape) {
      std::abort();
    }
  }
  return 0;
}

}  // namespace tyto
