// SPDX-License-Identifier: Apache-2.0
// The header of a .safetensors file, read key by key: a document would keep the last of two equal
// keys and say nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tyto/nn/tensors/element_type.hpp"

namespace tyto {

struct SafetensorsEntry {
  std::string name;
  ElementType type = ElementType::float32;
  std::vector<Index> shape;
  std::uint64_t begin = 0, end = 0;  // of its bytes, in the data
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // as they stand there; no two of one name
  std::map<std::string, std::string> metadata;
};

// Throws Error(data) beginning with `name`.
SafetensorsHeader read_safetensors_header(std::string_view json, std::string_view name);

// As the header calls it.
std::string_view safetensors_name(ElementType type);

}  // namespace tyto
