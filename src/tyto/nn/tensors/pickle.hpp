// SPDX-License-Identifier: Apache-2.0
// What a pickle of PyTorch says, read by a machine that knows 33 opcodes and fifteen names, and
// that calls nothing: a tensor stays a description of where its numbers lie.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/nn/tensors/element_type.hpp"

namespace tyto {

// What a pickle may name; the storages by what they hold.
enum class PickleCall { ordered_dictionary, tensor, tensor_before_04, parameter, size };

struct PickleText {  // where it stands in the pickle
  std::uint32_t begin, size;
};

// 16 bytes: whatever has parts is a place in the Pickle.
struct PickleValue {
  enum class Kind : std::uint8_t {
    absent,
    mark,
    none,
    boolean,
    integer,
    number,
    text,
    list,
    tuple,
    dictionary,
    call,
    storage_class,
    storage,
    tensor
  };

  Kind kind = Kind::absent;

  union {
    std::int64_t integer = 0;  // also of a boolean, a call and a storage class
    double number;
    std::uint32_t place;  // in objects, storages or tensors
    PickleText text;
  };
};

static_assert(sizeof(PickleValue) == 16);

struct PickleObject {  // list, tuple or dictionary, whose keys and values take turns
  std::vector<PickleValue> items;
  std::uint32_t depth = 1;  // of what is nested in it
  bool is_ordered = false;  // an OrderedDict
};

struct PickledStorage {
  std::string_view key;  // decimal digits
  ElementType type = ElementType::float32;
  Index count = 0;  // elements, as the pickle says
};

// Lies within the count of its storage.
struct PickledTensor {
  std::uint32_t storage = 0;
  Index offset = 0;
  std::vector<Index> sizes, strides;
};

// All parts lie side by side and name each other by place, so that no nesting, however deep or
// circular, is ever walked by recursion. Texts are views into the bytes that were read.
struct Pickle {
  std::string_view bytes;
  std::vector<PickleObject> objects;
  std::vector<PickledStorage> storages;
  std::vector<PickledTensor> tensors;
  PickleValue top;
  std::size_t end = 0;  // behind STOP

  [[nodiscard]] std::string_view text(const PickleValue& value) const {
    return bytes.substr(value.text.begin, value.text.size);
  }

  [[nodiscard]] const std::vector<PickleValue>& items(const PickleValue& value) const {
    return objects[value.place].items;
  }

  // The value of a dictionary under this key, the last if there are several; null if there is none.
  [[nodiscard]] const PickleValue* find(const PickleValue& dictionary, std::string_view key) const;
};

// "a list", "a tensor": as messages call it.
std::string_view kind_name(PickleValue::Kind kind);

// Reads to the first STOP. Throws Error(data) beginning with `name` for anything that a state
// dictionary does not need, above all for the name of anything that would have to be run.
Pickle read_pickle(std::span<const std::byte> bytes, std::string_view name);

}  // namespace tyto
