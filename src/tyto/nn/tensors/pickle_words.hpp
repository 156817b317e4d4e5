// SPDX-License-Identifier: Apache-2.0
// The opcodes of a pickle that are understood, the names of the others, and the Python names that a
// pickle may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tyto/nn/tensors/pickle.hpp"

namespace tyto {

enum class PickleCode : std::uint8_t {
  mark = '(',
  stop = '.',
  none = 'N',
  global = 'c',
  reduce = 'R',
  build = 'b',
  persistent_id = 'Q',
  empty_dictionary = '}',
  empty_list = ']',
  empty_tuple = ')',
  tuple = 't',
  set_item = 's',
  set_items = 'u',
  append = 'a',
  appends = 'e',
  put = 'q',
  long_put = 'r',
  get = 'h',
  long_get = 'j',
  text = 'X',
  short_string = 'U',
  string = 'T',
  integer = 'J',
  integer1 = 'K',
  integer2 = 'M',
  number = 'G',
  protocol = 0x80,
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  true_value = 0x88,
  false_value = 0x89,
  long1 = 0x8a
};

// Python's name of any opcode; "" for a byte that is none.
std::string_view opcode_name(std::uint8_t code);

// A call or a storage class; none for a name that is not among the fifteen.
std::optional<PickleValue> known_global(std::string_view module, std::string_view name);

}  // namespace tyto
