// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/pickle_words.hpp"

#include <array>
#include <utility>

namespace tyto {

namespace {

using Word = std::pair<std::uint8_t, std::string_view>;

constexpr std::array<Word, 68> kOpcodes{{
    {'(', "MARK"},
    {'.', "STOP"},
    {'0', "POP"},
    {'1', "POP_MARK"},
    {'2', "DUP"},
    {'F', "FLOAT"},
    {'I', "INT"},
    {'J', "BININT"},
    {'K', "BININT1"},
    {'L', "LONG"},
    {'M', "BININT2"},
    {'N', "NONE"},
    {'P', "PERSID"},
    {'Q', "BINPERSID"},
    {'R', "REDUCE"},
    {'S', "STRING"},
    {'T', "BINSTRING"},
    {'U', "SHORT_BINSTRING"},
    {'V', "UNICODE"},
    {'X', "BINUNICODE"},
    {'a', "APPEND"},
    {'b', "BUILD"},
    {'c', "GLOBAL"},
    {'d', "DICT"},
    {'}', "EMPTY_DICT"},
    {'e', "APPENDS"},
    {'g', "GET"},
    {'h', "BINGET"},
    {'i', "INST"},
    {'j', "LONG_BINGET"},
    {'l', "LIST"},
    {']', "EMPTY_LIST"},
    {'o', "OBJ"},
    {'p', "PUT"},
    {'q', "BINPUT"},
    {'r', "LONG_BINPUT"},
    {'s', "SETITEM"},
    {'t', "TUPLE"},
    {')', "EMPTY_TUPLE"},
    {'u', "SETITEMS"},
    {'G', "BINFLOAT"},
    {'B', "BINBYTES"},
    {'C', "SHORT_BINBYTES"},
    {0x80, "PROTO"},
    {0x81, "NEWOBJ"},
    {0x82, "EXT1"},
    {0x83, "EXT2"},
    {0x84, "EXT4"},
    {0x85, "TUPLE1"},
    {0x86, "TUPLE2"},
    {0x87, "TUPLE3"},
    {0x88, "NEWTRUE"},
    {0x89, "NEWFALSE"},
    {0x8a, "LONG1"},
    {0x8b, "LONG4"},
    {0x8c, "SHORT_BINUNICODE"},
    {0x8d, "BINUNICODE8"},
    {0x8e, "BINBYTES8"},
    {0x8f, "EMPTY_SET"},
    {0x90, "ADDITEMS"},
    {0x91, "FROZENSET"},
    {0x92, "NEWOBJ_EX"},
    {0x93, "STACK_GLOBAL"},
    {0x94, "MEMOIZE"},
    {0x95, "FRAME"},
    {0x96, "BYTEARRAY8"},
    {0x97, "NEXT_BUFFER"},
    {0x98, "READONLY_BUFFER"},
}};

struct KnownCall {
  std::string_view module, name;
  PickleCall call;
};

constexpr std::array<KnownCall, 5> kCalls{{
    {"collections", "OrderedDict", PickleCall::ordered_dictionary},
    {"torch._utils", "_rebuild_tensor_v2", PickleCall::tensor},
    {"torch._utils", "_rebuild_tensor", PickleCall::tensor_before_04},
    {"torch._utils", "_rebuild_parameter", PickleCall::parameter},
    {"torch", "Size", PickleCall::size},
}};

constexpr std::array<std::pair<std::string_view, ElementType>, 10> kStorages{{
    {"FloatStorage", ElementType::float32},
    {"DoubleStorage", ElementType::float64},
    {"HalfStorage", ElementType::float16},
    {"BFloat16Storage", ElementType::bfloat16},
    {"LongStorage", ElementType::int64},
    {"IntStorage", ElementType::int32},
    {"ShortStorage", ElementType::int16},
    {"CharStorage", ElementType::int8},
    {"ByteStorage", ElementType::uint8},
    {"BoolStorage", ElementType::boolean},
}};

}  // namespace

std::string_view opcode_name(std::uint8_t code) {
  for (const auto& [byte, name] : kOpcodes) {
    if (byte == code) {
      return name;
    }
  }
  return "";
}

std::optional<PickleValue> known_global(std::string_view module, std::string_view name) {
  for (const KnownCall& known : kCalls) {
    if (known.module == module && known.name == name) {
      return PickleValue{PickleValue::Kind::call, {static_cast<std::int64_t>(known.call)}};
    }
  }
  for (const auto& [storage, type] : kStorages) {
    if (module == "torch" && storage == name) {
      return PickleValue{PickleValue::Kind::storage_class, {static_cast<std::int64_t>(type)}};
    }
  }
  return std::nullopt;
}

}  // namespace tyto
