// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/little_endian.hpp"
#include "tyto/nn/tensors/printable.hpp"
#include "tyto/nn/tensors/safetensors_header.hpp"

namespace tyto {

namespace {

constexpr std::size_t kLengthSize = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;

std::string_view header_text(std::span<const std::byte> file, std::string_view name) {
  TYTO_ASSERT(file.size() >= kLengthSize);
  const auto size = little_endian<std::uint64_t>(file, 0);
  if (size > kLongestHeader || size > file.size() - kLengthSize) {
    throw Error(ErrorKind::data,
                fmt::format("{}: a header of {} bytes is announced; the file has {} in all", name,
                            size, file.size()));
  }
  const std::string_view text = as_text(file.subspan(kLengthSize, size));
  if (!text.starts_with('{')) {
    throw Error(ErrorKind::data, fmt::format("{}: the header begins with \"{}\", not with {{", name,
                                             printable(text.substr(0, 1))));
  }
  return text;
}

void expect_size(const SafetensorsEntry& entry, std::string_view name) {
  const auto count = element_count(entry.shape);
  Index bytes = 0;
  if (!count || __builtin_mul_overflow(*count, element_size(entry.type), &bytes)) {
    throw Error(ErrorKind::data, fmt::format("{}: the shape of {} is an overflow of 64 bits", name,
                                             printable(entry.name)));
  }
  if (static_cast<std::uint64_t>(bytes) != entry.end - entry.begin) {
    throw Error(ErrorKind::data,
                fmt::format("{}: the shape of {} comes to {} bytes, its data_offsets [{}, {}) to "
                            "{}",
                            name, printable(entry.name), bytes, entry.begin, entry.end,
                            entry.end - entry.begin));
  }
}

// Side by side from 0 to the end: no byte is in two tensors, none in no tensor.
void expect_tiles(const std::vector<SafetensorsEntry>& entries, std::uint64_t size,
                  std::string_view name) {
  std::vector<const SafetensorsEntry*> order;
  for (const SafetensorsEntry& entry : entries) {
    order.push_back(&entry);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto* left, const auto* right) {
    return std::pair(left->begin, left->end) < std::pair(right->begin, right->end);
  });
  std::uint64_t next = 0;
  for (const SafetensorsEntry* entry : order) {
    if (entry->begin != next) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} lies in [{}, {}), but the tensor before it ends at {}: {}",
                              name, printable(entry->name), entry->begin, entry->end, next,
                              entry->begin < next ? "they overlap" : "a hole"));
    }
    next = entry->end;
  }
  if (next != size) {
    throw Error(ErrorKind::data,
                fmt::format("{}: the tensors end at {} of the {} bytes of data", name, next, size));
  }
}

}  // namespace

TensorFile read_safetensors(std::span<const std::byte> file, std::string_view name) {
  const std::string_view text = header_text(file, name);
  SafetensorsHeader header = read_safetensors_header(text, name);
  const auto data = file.subspan(kLengthSize + text.size());
  for (const SafetensorsEntry& entry : header.entries) {
    expect_size(entry, name);
  }
  expect_tiles(header.entries, data.size(), name);
  TensorFile content{.tensors = {}, .metadata = std::move(header.metadata)};
  for (SafetensorsEntry& entry : header.entries) {
    const auto bytes = data.subspan(entry.begin, entry.end - entry.begin);
    std::vector<float> values(bytes.size() / static_cast<std::size_t>(element_size(entry.type)));
    to_floats(entry.type, bytes.data(), 1, values);
    content.tensors.push_back({std::move(entry.name), std::move(entry.shape), std::move(values)});
  }
  return content;
}

std::string to_safetensors(const TensorFile& content) {
  nlohmann::ordered_json header;
  header["__metadata__"]["format"] = "pt";  // what readers elsewhere look for
  for (const auto& [key, value] : content.metadata) {
    header["__metadata__"][key] = value;
  }
  std::size_t size = 0;
  for (const NamedTensor& tensor : content.tensors) {
    const std::size_t bytes = tensor.values.size() * sizeof(float);
    if (element_count(tensor.shape) != std::ssize(tensor.values)) {
      throw Error(ErrorKind::data, fmt::format("the tensor {} has {} numbers, its shape says {}",
                                               printable(tensor.name), tensor.values.size(),
                                               element_count(tensor.shape).value_or(-1)));
    }
    if (header.contains(tensor.name)) {
      throw Error(ErrorKind::data,
                  fmt::format("two tensors are called {}", printable(tensor.name)));
    }
    header[tensor.name] = {{"dtype", safetensors_name(ElementType::float32)},
                           {"shape", tensor.shape},
                           {"data_offsets", {size, size + bytes}}};
    size += bytes;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::data, "a tensor has a name that is not UTF-8");
  }
  text.append((kLengthSize - text.size() % kLengthSize) % kLengthSize, ' ');
  std::string file(kLengthSize, '\0');
  const std::uint64_t length = text.size();
  std::memcpy(file.data(), &length, kLengthSize);
  file.reserve(kLengthSize + text.size() + size);
  file += text;
  for (const NamedTensor& tensor : content.tensors) {
    file.append(reinterpret_cast<const char*>(tensor.values.data()),
                tensor.values.size() * sizeof(float));
  }
  return file;
}

}  // namespace tyto
