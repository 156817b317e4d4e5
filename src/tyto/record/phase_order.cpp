// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/phase_order.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tyto {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The run of digits at `at`, without leading zeros; `at` moves behind it.
std::string_view take_number(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  while (at < text.size() && is_digit(text[at])) {
    ++at;
  }
  const std::string_view digits = text.substr(begin, at - begin);
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

std::size_t place_in(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

bool comes_before_naturally(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view left = take_number(a, i);
      const std::string_view right = take_number(b, j);
      if (left != right) {
        return std::tuple(left.size(), left) < std::tuple(right.size(), right);
      }
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  const bool both_end = i == a.size() && j == b.size();
  return both_end ? a < b : i == a.size();
}

bool PhaseOrder::before(const PhaseKey& a, const PhaseKey& b) const {
  const auto rank = [this](const PhaseKey& key) {
    const Index batch = key.batch == 0 ? std::numeric_limits<Index>::max() : key.batch;
    return std::tuple(key.step, batch, place_in(phases, key.phase));
  };
  if (rank(a) != rank(b)) {
    return rank(a) < rank(b);
  }
  if (a.phase != b.phase) {
    return comes_before_naturally(a.phase, b.phase);
  }
  const std::size_t left = place_in(splits, a.split);
  const std::size_t right = place_in(splits, b.split);
  return left != right ? left < right : comes_before_naturally(a.split, b.split);
}

}  // namespace tyto
