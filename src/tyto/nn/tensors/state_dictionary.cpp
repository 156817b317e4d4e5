// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/state_dictionary.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/printable.hpp"

namespace tyto {

namespace {

using Kind = PickleValue::Kind;

// Under which a training file keeps the state dictionary, the first to be preferred.
constexpr std::array<std::string_view, 6> kWrappers{"state_dict", "model_state", "model_state_dict",
                                                    "model",      "teacher",     "net"};

constexpr std::uint64_t kMostOfFile = 4;

bool has_tensors(const Pickle& pickle, const PickleValue& value) {
  if (value.kind != Kind::dictionary) {
    return false;
  }
  const auto& items = pickle.items(value);
  for (std::size_t i = 1; i < items.size(); i += 2) {
    if (items[i].kind == Kind::tensor && items[i - 1].kind == Kind::text) {
      return true;
    }
  }
  return false;
}

std::string first_keys(const Pickle& pickle, const PickleValue& dictionary) {
  constexpr std::size_t kShown = 5;
  std::string keys;
  const auto& items = pickle.items(dictionary);
  for (std::size_t i = 0; i < std::min(items.size(), 2 * kShown); i += 2) {
    keys += fmt::format("{}{}", i == 0 ? "" : ", ",
                        items[i].kind == Kind::text ? printable(pickle.text(items[i]))
                                                    : std::to_string(items[i].integer));
  }
  return items.size() > 2 * kShown ? keys + ", ..." : keys;
}

PickleValue find_dictionary(const Pickle& pickle, std::string_view name) {
  if (pickle.top.kind != Kind::dictionary) {
    throw Error(ErrorKind::data, fmt::format("{}: holds {}, not a dictionary of tensors", name,
                                             kind_name(pickle.top.kind)));
  }
  for (const std::string_view wrapper : kWrappers) {
    const PickleValue* inner = pickle.find(pickle.top, wrapper);
    if (inner != nullptr && has_tensors(pickle, *inner)) {
      return *inner;
    }
  }
  if (!has_tensors(pickle, pickle.top)) {
    throw Error(ErrorKind::data, fmt::format("{}: holds no state dictionary; its keys are: {}",
                                             name, first_keys(pickle, pickle.top)));
  }
  return pickle.top;
}

std::vector<std::pair<std::string_view, const PickledTensor*>> named_tensors(
    const Pickle& pickle, std::string_view name) {
  const auto& items = pickle.items(find_dictionary(pickle, name));
  std::vector<std::pair<std::string_view, const PickledTensor*>> found;
  std::set<std::string_view> seen;
  for (std::size_t i = 1; i < items.size(); i += 2) {
    if (items[i].kind != Kind::tensor || items[i - 1].kind != Kind::text) {
      continue;  // counters and settings
    }
    found.emplace_back(pickle.text(items[i - 1]), &pickle.tensors[items[i].place]);
    if (!seen.insert(found.back().first).second) {
      throw Error(ErrorKind::data, fmt::format("{}: two tensors are called {}", name,
                                               printable(found.back().first)));
    }
  }
  return found;
}

// Row by row, whatever the strides: all axes but the last are counted, the last is one run.
std::vector<float> as_contiguous(const PickledTensor& tensor, ElementType type,
                                 std::span<const std::byte> storage) {
  const Index size = element_size(type);
  const Index count = element_count(tensor.sizes).value();
  std::vector<float> values(static_cast<std::size_t>(count));
  if (count == 0) {
    return values;
  }
  const std::size_t rank = tensor.sizes.size();
  const Index run = rank == 0 ? 1 : tensor.sizes[rank - 1];
  const Index step = rank == 0 ? 1 : tensor.strides[rank - 1];
  std::vector<Index> at(rank, 0);
  Index from = tensor.offset;
  for (Index done = 0; done < count; done += run) {
    to_floats(
        type, storage.data() + from * size, step,
        std::span(values).subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(run)));
    for (std::size_t axis = rank < 2 ? 0 : rank - 1; axis > 0; --axis) {
      from += tensor.strides[axis - 1];
      if (++at[axis - 1] < tensor.sizes[axis - 1]) {
        break;
      }
      from -= tensor.strides[axis - 1] * tensor.sizes[axis - 1];
      at[axis - 1] = 0;
    }
  }
  return values;
}

}  // namespace

std::optional<std::uint64_t> bytes_of(const PickledStorage& storage) {
  Index bytes = 0;
  if (__builtin_mul_overflow(storage.count, element_size(storage.type), &bytes)) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(bytes);
}

std::vector<NamedTensor> state_dictionary(const Pickle& pickle,
                                          std::span<const std::span<const std::byte>> storages,
                                          std::size_t file_size, std::string_view name,
                                          bool may_be_bare) {
  std::vector<std::pair<std::string_view, const PickledTensor*>> found;
  if (may_be_bare && pickle.top.kind == Kind::tensor) {
    found.emplace_back("", &pickle.tensors[pickle.top.place]);
  } else {
    found = named_tensors(pickle, name);
  }
  std::uint64_t bytes = 0;
  for (const auto& [key, tensor] : found) {
    // Each is at most as long as its storage, so the sum is far from 64 bits.
    bytes += static_cast<std::uint64_t>(element_count(tensor->sizes).value()) * sizeof(float);
    if (bytes > kMostOfFile * file_size) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: its tensors would come to more than {} times its {} bytes", name,
                              kMostOfFile, file_size));
    }
  }
  std::vector<NamedTensor> tensors;
  for (const auto& [key, tensor] : found) {
    const ElementType type = pickle.storages[tensor->storage].type;
    tensors.push_back(
        {std::string(key), tensor->sizes, as_contiguous(*tensor, type, storages[tensor->storage])});
  }
  return tensors;
}

}  // namespace tyto
