// SPDX-License-Identifier: Apache-2.0
// What outlives a step: an ordered tree of named values. Equal content gives equal bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/matrix.hpp"

namespace tyto {

struct State {
  using Value = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                             std::vector<std::string>, Matrix, Dense<double>, Dense<std::int32_t>,
                             Dense<std::uint8_t>>;
  std::map<std::string, Value, std::less<>> values;
  std::map<std::string, State, std::less<>> children;

  template <class T>
  void set(std::string_view key, T&& value) {
    values.insert_or_assign(std::string(key), Value(std::forward<T>(value)));
  }

  [[nodiscard]] bool has(std::string_view key) const { return values.contains(key); }

  template <class T>
  [[nodiscard]] const T& get(std::string_view key) const {
    const auto found = values.find(key);
    if (found == values.end()) {
      throw Error(ErrorKind::state, fmt::format("the saved state has no value \"{}\"", key));
    }
    const T* value = std::get_if<T>(&found->second);
    if (value == nullptr) {
      throw Error(ErrorKind::state, fmt::format("the saved value \"{}\" has another type", key));
    }
    return *value;
  }

  [[nodiscard]] const State& child(std::string_view key) const {
    const auto found = children.find(key);
    if (found == children.end()) {
      throw Error(ErrorKind::state, fmt::format("the saved state has no part \"{}\"", key));
    }
    return found->second;
  }

  State& make_child(std::string_view key) { return children[std::string(key)]; }
};

}  // namespace tyto
