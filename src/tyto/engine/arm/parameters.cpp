// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/parameters.hpp"

#include <bit>
#include <span>
#include <type_traits>

#include "tyto/core/hash_bytes.hpp"

namespace tyto {

namespace {

template <class Visit>
void each_matrix(const State& state, const std::string& path, std::string_view without,
                 const Visit& visit) {
  for (const auto& [key, value] : state.values) {
    const std::string name = path + key;
    std::visit(
        [&](const auto& held) {
          using T = std::decay_t<decltype(held)>;
          if constexpr (std::is_same_v<T, Matrix> || std::is_same_v<T, Dense<double>>) {
            visit(name, held);
          }
        },
        value);
  }
  for (const auto& [key, child] : state.children) {
    if (key != without) {
      each_matrix(child, path + key + ".", "", visit);
    }
  }
}

}  // namespace

ParameterCount ParameterRows::update(const State& state, std::string_view without) {
  ParameterCount count;
  std::map<std::string, std::vector<std::int64_t>> now;
  each_matrix(state, "", without, [&](const std::string& name, const auto& matrix) {
    const auto before = rows_.find(name);
    std::vector<std::int64_t>& digests = now[name];
    count.all += matrix.size();
    for (Index row = 0; row < matrix.rows(); ++row) {
      const std::span values(matrix.data() + row * matrix.cols(), at(matrix.cols()));
      digests.push_back(std::bit_cast<std::int64_t>(hash_bytes(std::as_bytes(values))));
      const bool is_same = before != rows_.end() && at(row) < before->second.size() &&
                           before->second[at(row)] == digests.back();
      count.changed += is_same ? 0 : matrix.cols();
    }
  });
  rows_ = std::move(now);
  return count;
}

void ParameterRows::save(State& state) const {
  for (const auto& [name, digests] : rows_) {
    state.set(name, digests);
  }
}

void ParameterRows::load(const State& state) {
  rows_.clear();
  for (const auto& [name, value] : state.values) {
    rows_.emplace(name, state.get<std::vector<std::int64_t>>(name));
  }
}

}  // namespace tyto
