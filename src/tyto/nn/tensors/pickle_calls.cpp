// SPDX-License-Identifier: Apache-2.0
#include "tyto/nn/tensors/pickle_calls.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/nn/tensors/printable.hpp"

namespace tyto {

namespace {

using Kind = PickleValue::Kind;

constexpr std::size_t kMostObjects = 1'000'000;
constexpr std::size_t kMostItems = 4'000'000;  // in all of them
constexpr std::size_t kMostTensors = 100'000;
constexpr std::uint32_t kDeepest = 100;
constexpr std::size_t kHighestRank = 8;
constexpr std::size_t kLongestKey = 20;

template <class... Arguments>
std::runtime_error wrong(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  return std::runtime_error(fmt::format(text, std::forward<Arguments>(arguments)...));
}

bool has_items(Kind kind) {
  return kind == Kind::list || kind == Kind::tuple || kind == Kind::dictionary;
}

}  // namespace

PickleValue PickleCalls::add_object(Kind kind, std::vector<PickleValue> items) {
  if (pickle_.objects.size() >= kMostObjects) {
    throw wrong("it has more than {} objects", kMostObjects);
  }
  PickleObject object;
  take_in(object, items);
  object.items = std::move(items);
  pickle_.objects.push_back(std::move(object));
  PickleValue value{kind, {}};
  value.place = static_cast<std::uint32_t>(pickle_.objects.size() - 1);
  return value;
}

// Makes it one deeper than the deepest of them.
void PickleCalls::take_in(PickleObject& object, std::span<const PickleValue> items) {
  for (const PickleValue& item : items) {
    if (has_items(item.kind)) {
      object.depth = std::max(object.depth, pickle_.objects[item.place].depth + 1);
    }
  }
  if (object.depth > kDeepest) {
    throw wrong("it is nested more than {} deep", kDeepest);
  }
  held_ += items.size();
  if (held_ > kMostItems) {
    throw wrong("its lists and dictionaries hold more than {} items", kMostItems);
  }
}

void PickleCalls::set_items(const PickleValue& dictionary,
                            std::span<const PickleValue> keys_and_values) {
  if (dictionary.kind != Kind::dictionary) {
    throw wrong("an item is set on {}, which is no dictionary", kind_name(dictionary.kind));
  }
  if (keys_and_values.size() % 2 != 0) {
    throw wrong("a key has no value");
  }
  for (std::size_t i = 0; i < keys_and_values.size(); i += 2) {
    const Kind key = keys_and_values[i].kind;
    if (key != Kind::text && key != Kind::integer) {
      throw wrong("{} is the key of a dictionary; keys are texts or whole numbers", kind_name(key));
    }
  }
  PickleObject& object = pickle_.objects[dictionary.place];
  take_in(object, keys_and_values);
  object.items.insert(object.items.end(), keys_and_values.begin(), keys_and_values.end());
}

void PickleCalls::append_items(const PickleValue& list, std::span<const PickleValue> items) {
  if (list.kind != Kind::list) {
    throw wrong("an item is appended to {}, which is no list", kind_name(list.kind));
  }
  PickleObject& object = pickle_.objects[list.place];
  take_in(object, items);
  object.items.insert(object.items.end(), items.begin(), items.end());
}

PickleValue PickleCalls::reduce(const PickleValue& call, const PickleValue& arguments) {
  if (call.kind != Kind::call) {
    throw wrong("{} is called, which is no function", kind_name(call.kind));
  }
  if (arguments.kind != Kind::tuple) {
    throw wrong("the arguments of a call are {}, not a tuple", kind_name(arguments.kind));
  }
  const std::vector<PickleValue> given = pickle_.items(arguments);
  switch (static_cast<PickleCall>(call.integer)) {
    case PickleCall::ordered_dictionary: return ordered_dictionary(given);
    case PickleCall::tensor:
      if (given.size() != 6 && given.size() != 7) {
        throw wrong("_rebuild_tensor_v2 takes 6 or 7 arguments and has {}", given.size());
      }
      return tensor(given);
    case PickleCall::tensor_before_04:
      if (given.size() != 4) {
        throw wrong("_rebuild_tensor takes 4 arguments and has {}", given.size());
      }
      return tensor(given);
    case PickleCall::parameter:
      if (given.size() != 3 || given[0].kind != Kind::tensor) {
        throw wrong("_rebuild_parameter takes a tensor and two more arguments");
      }
      return given[0];
    case PickleCall::size:
      if (given.size() != 1 || given[0].kind != Kind::tuple) {
        throw wrong("torch.Size takes one tuple");
      }
      return given[0];
  }
  TYTO_ASSERT(false);
  return {};
}

PickleValue PickleCalls::ordered_dictionary(std::span<const PickleValue> arguments) {
  if (arguments.size() > 1 || (!arguments.empty() && arguments[0].kind != Kind::list)) {
    throw wrong("OrderedDict takes nothing or one list of pairs");
  }
  const PickleValue made = add_object(Kind::dictionary, {});
  pickle_.objects.back().is_ordered = true;
  if (!arguments.empty()) {
    const std::vector<PickleValue> pairs = pickle_.items(arguments[0]);
    for (const PickleValue& pair : pairs) {
      if ((pair.kind != Kind::tuple && pair.kind != Kind::list) ||
          pickle_.items(pair).size() != 2) {
        throw wrong("OrderedDict is given {} where a pair should be", kind_name(pair.kind));
      }
      const std::vector<PickleValue> both = pickle_.items(pair);
      set_items(made, both);
    }
  }
  return made;
}

std::vector<Index> PickleCalls::sizes_of(const PickleValue& tuple, std::string_view what) const {
  if (tuple.kind != Kind::tuple) {
    throw wrong("the {}s of a tensor are {}, not a tuple", what, kind_name(tuple.kind));
  }
  std::vector<Index> sizes;
  if (pickle_.items(tuple).size() > kHighestRank) {
    throw wrong("a tensor has {} axes; at most {} are read", pickle_.items(tuple).size(),
                kHighestRank);
  }
  for (const PickleValue& item : pickle_.items(tuple)) {
    if (item.kind != Kind::integer) {
      throw wrong("a {} of a tensor is {}, not a whole number", what, kind_name(item.kind));
    }
    if (item.integer < 0) {
      throw wrong("a tensor has the negative {} {}", what, item.integer);
    }
    sizes.push_back(item.integer);
  }
  return sizes;
}

PickleValue PickleCalls::tensor(std::span<const PickleValue> arguments) {
  if (pickle_.tensors.size() >= kMostTensors) {
    throw wrong("it has more than {} tensors", kMostTensors);
  }
  if (arguments[0].kind != Kind::storage || arguments[1].kind != Kind::integer) {
    throw wrong("a tensor is made of {} and {}, not of a storage and an offset",
                kind_name(arguments[0].kind), kind_name(arguments[1].kind));
  }
  PickledTensor made{.storage = arguments[0].place,
                     .offset = arguments[1].integer,
                     .sizes = sizes_of(arguments[2], "size"),
                     .strides = sizes_of(arguments[3], "stride")};
  const PickledStorage& storage = pickle_.storages[made.storage];
  if (made.offset < 0) {
    throw wrong("a tensor has the negative offset {}", made.offset);
  }
  if (made.sizes.size() != made.strides.size()) {
    throw wrong("a tensor has {} sizes and {} strides", made.sizes.size(), made.strides.size());
  }
  const auto count = element_count(made.sizes);
  if (!count || *count > storage.count) {  // a stride of 0 would make much of little
    throw wrong("a tensor has more elements than the {} of its storage {}", storage.count,
                storage.key);
  }
  if (*count > 0) {
    Index last = made.offset;
    bool fits = true;
    for (std::size_t axis = 0; axis < made.sizes.size(); ++axis) {
      Index reach = 0;
      fits = fits && !__builtin_mul_overflow(made.sizes[axis] - 1, made.strides[axis], &reach) &&
             !__builtin_add_overflow(last, reach, &last);
    }
    if (!fits || last >= storage.count) {
      throw wrong("a tensor reaches {} of its storage {}, which has {}",
                  fits ? fmt::format("element {} (from 0)", last) : "far out", storage.key,
                  storage.count);
    }
  }
  pickle_.tensors.push_back(std::move(made));
  PickleValue value{Kind::tensor, {}};
  value.place = static_cast<std::uint32_t>(pickle_.tensors.size() - 1);
  return value;
}

PickleValue PickleCalls::storage_of(const PickleValue& persistent_id) {
  if (persistent_id.kind != Kind::tuple) {
    throw wrong("a storage is told by {}, not a tuple", kind_name(persistent_id.kind));
  }
  const auto& told = pickle_.items(persistent_id);
  if ((told.size() != 5 && told.size() != 6) || told[0].kind != Kind::text ||
      pickle_.text(told[0]) != "storage") {
    throw wrong(
        "something is told by a persistent id that is no storage; save the state "
        "dictionary alone");
  }
  if (told[1].kind != Kind::storage_class || told[2].kind != Kind::text ||
      told[4].kind != Kind::integer || told[4].integer < 0) {
    throw wrong("a storage is told by {}, {} and {}, not by class, key and count",
                kind_name(told[1].kind), kind_name(told[2].kind), kind_name(told[4].kind));
  }
  const std::string_view key = pickle_.text(told[2]);
  if (key.empty() || key.size() > kLongestKey ||
      key.find_first_not_of("0123456789") != std::string_view::npos) {
    throw wrong("the key \"{}\" of a storage is not a number", printable(key));
  }
  if (told.size() == 6 && told[5].kind != Kind::none) {
    throw wrong(
        "the storage {} is a view of another, as files before 0.4 may have it; save it "
        "again with a newer PyTorch",
        key);
  }
  const PickledStorage storage{key, static_cast<ElementType>(told[1].integer), told[4].integer};
  const auto [place, is_new] =
      storages_.emplace(key, static_cast<std::uint32_t>(pickle_.storages.size()));
  if (is_new) {
    pickle_.storages.push_back(storage);
  } else if (const auto& before = pickle_.storages[place->second];
             before.type != storage.type || before.count != storage.count) {
    throw wrong("the storage {} is told twice, with {} and {} elements or of two types", key,
                before.count, storage.count);
  }
  PickleValue value{Kind::storage, {}};
  value.place = place->second;
  return value;
}

}  // namespace tyto
