// SPDX-License-Identifier: Apache-2.0
// What the few calls in a pickle come to. Nothing is called: their arguments are checked and noted.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "tyto/nn/tensors/pickle.hpp"

namespace tyto {

// Throws std::runtime_error with what is wrong, for the machine to say where.
class PickleCalls {
 public:
  explicit PickleCalls(Pickle& pickle) : pickle_(pickle) {}

  PickleValue reduce(const PickleValue& call, const PickleValue& arguments);
  PickleValue storage_of(const PickleValue& persistent_id);

  // A new list, tuple or dictionary of these.
  PickleValue add_object(PickleValue::Kind kind, std::vector<PickleValue> items);
  // Keys are texts or whole numbers.
  void set_items(const PickleValue& dictionary, std::span<const PickleValue> keys_and_values);
  void append_items(const PickleValue& list, std::span<const PickleValue> items);

 private:
  PickleValue ordered_dictionary(std::span<const PickleValue> arguments);
  PickleValue tensor(std::span<const PickleValue> arguments);
  std::vector<Index> sizes_of(const PickleValue& tuple, std::string_view what) const;
  void take_in(PickleObject& object, std::span<const PickleValue> items);

  Pickle& pickle_;
  std::size_t held_ = 0;                                // items of all objects
  std::map<std::string_view, std::uint32_t> storages_;  // by key
};

}  // namespace tyto
