// SPDX-License-Identifier: Apache-2.0
// Files of tensors made by hand, byte by byte: pickles out of their opcodes, and the two containers
// of PyTorch around them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tyto/nn/tensors/zip_records.hpp"

namespace tyto::testing_support {

inline std::span<const std::byte> bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Little-endian, as it lies in memory.
template <class Number>
std::string raw(Number value) {
  std::string bytes(sizeof(Number), '\0');
  std::memcpy(bytes.data(), &value, sizeof(Number));
  return bytes;
}

inline std::string raw_floats(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values) {
    bytes += raw(value);
  }
  return bytes;
}

// Opcodes of a pickle.
inline std::string py_text(std::string_view text) {
  return "X" + raw(static_cast<std::uint32_t>(text.size())) + std::string(text);
}

inline std::string py_integer(std::int32_t value) {
  return "J" + raw(value);
}

inline std::string py_float(double value) {
  return "G" + raw(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
}

inline std::string py_global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}

inline std::string py_tuple(std::initializer_list<std::int32_t> values) {
  std::string items = "(";
  for (const auto value : values) {
    items += py_integer(value);
  }
  return items + "t";
}

struct PyTensor {
  std::string storage = "FloatStorage", key = "0";
  std::int32_t count = 4, offset = 0;
  std::string sizes = py_tuple({4}), strides = py_tuple({1});
};

// A storage by its persistent id; a legacy file has None behind the count.
inline std::string py_storage(const PyTensor& tensor, bool is_legacy = false) {
  return "(" + py_text("storage") + py_global("torch", tensor.storage) + py_text(tensor.key) +
         py_text("cpu") + py_integer(tensor.count) + (is_legacy ? "N" : "") + "tQ";
}

inline std::string py_tensor(const PyTensor& tensor, bool is_legacy = false) {
  return py_global("torch._utils", "_rebuild_tensor_v2") + "(" + py_storage(tensor, is_legacy) +
         py_integer(tensor.offset) + tensor.sizes + tensor.strides + "\x89" +
         py_global("collections", "OrderedDict") + ")RtR";
}

// A dictionary of keys and opcodes of values.
inline std::string py_dictionary(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string all = "}(";
  for (const auto& [key, value] : items) {
    all += py_text(key) + value;
  }
  return all + "u";
}

inline std::string py_pickle(std::string_view content) {
  return "\x80\x02" + std::string(content) + ".";
}

struct ZipPart {
  std::string name, content;
  std::uint16_t method = 0;
};

// As PyTorch writes it: sizes and checksum in the directory alone, padding before the content that
// the directory does not tell of.
inline std::string small_zip(const std::vector<ZipPart>& parts, bool is_wide = false) {
  std::string file, directory;
  for (const auto& part : parts) {
    const auto offset = static_cast<std::uint32_t>(file.size());
    const auto size = static_cast<std::uint32_t>(part.content.size());
    const auto name = static_cast<std::uint16_t>(part.name.size());
    const std::string padding = "FB" + raw(std::uint16_t{3}) + "ZZZ";
    file += "PK\3\4" + raw(std::uint16_t{0}) + raw(std::uint16_t{0x808}) + raw(part.method) +
            std::string(16, '\0') + raw(name) + raw(static_cast<std::uint16_t>(padding.size())) +
            part.name + padding + part.content;
    const std::uint32_t elsewhere = 0xffffffff;
    const std::string extra = is_wide ? raw(std::uint16_t{1}) + raw(std::uint16_t{24}) +
                                            raw(std::uint64_t{size}) + raw(std::uint64_t{size}) +
                                            raw(std::uint64_t{offset})
                                      : "";
    directory += "PK\1\2" + raw(std::uint32_t{0}) + raw(std::uint16_t{0x808}) + raw(part.method) +
                 raw(std::uint32_t{0}) + raw(zip_checksum(bytes_of_text(part.content))) +
                 raw(is_wide ? elsewhere : size) + raw(is_wide ? elsewhere : size) + raw(name) +
                 raw(static_cast<std::uint16_t>(extra.size())) + std::string(10, '\0') +
                 raw(is_wide ? elsewhere : offset) + part.name + extra;
  }
  const auto at = static_cast<std::uint32_t>(file.size());
  const auto size = static_cast<std::uint32_t>(directory.size());
  const auto count = static_cast<std::uint16_t>(parts.size());
  file += directory;
  if (is_wide) {
    const std::uint64_t end = file.size();
    file += "PK\6\6" + raw(std::uint64_t{44}) + std::string(12, '\0') + raw(std::uint64_t{count}) +
            raw(std::uint64_t{count}) + raw(std::uint64_t{size}) + raw(std::uint64_t{at});
    file += "PK\6\7" + raw(std::uint32_t{0}) + raw(end) + raw(std::uint32_t{1});
  }
  const auto shown = is_wide ? std::uint16_t{0xffff} : count;
  file += "PK\5\6" + raw(std::uint32_t{0}) + raw(shown) + raw(shown) +
          raw(is_wide ? 0xffffffffU : size) + raw(is_wide ? 0xffffffffU : at) +
          raw(std::uint16_t{0});
  return file;
}

inline std::string small_torch_zip(const std::string& pickle,
                                   const std::vector<std::string>& storages, bool is_wide = false) {
  std::vector<ZipPart> parts{{"net/data.pkl", pickle}};
  for (std::size_t i = 0; i < storages.size(); ++i) {
    parts.push_back({"net/data/" + std::to_string(i), storages[i]});
  }
  parts.push_back({"net/version", "3\n"});
  return small_zip(parts, is_wide);
}

// `object` are opcodes; storages are keys and contents, with the count before them.
inline std::string small_legacy(const std::string& object,
                                const std::vector<std::pair<std::string, std::string>>& storages) {
  std::string list = "](", content;
  for (const auto& [key, bytes] : storages) {
    list += py_text(key);
    content += bytes;
  }
  return std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e") +
         py_pickle("M\xe9\x03") +
         py_pickle(
             py_dictionary({{"protocol_version", py_integer(1001)}, {"little_endian", "\x88"}})) +
         py_pickle(object) + py_pickle(list + "e") + content;
}

inline std::string small_safetensors(const std::string& header, const std::string& data) {
  return raw(std::uint64_t{header.size()}) + header + data;
}

}  // namespace tyto::testing_support
