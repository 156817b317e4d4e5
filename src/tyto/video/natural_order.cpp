// SPDX-License-Identifier: Apache-2.0
#include "tyto/video/natural_order.hpp"

#include <algorithm>

namespace tyto {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The run of digits at the front, without leading zeros; taken off `text`.
std::string_view take_number(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view number = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(number.size());
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view rest_a = a;
  std::string_view rest_b = b;
  while (!rest_a.empty() && !rest_b.empty()) {
    if (is_digit(rest_a.front()) && is_digit(rest_b.front())) {
      const std::string_view x = take_number(rest_a);
      const std::string_view y = take_number(rest_b);
      if (x != y) {
        return x.size() != y.size() ? x.size() < y.size() : x < y;
      }
    } else {
      if (rest_a.front() != rest_b.front()) {
        return static_cast<unsigned char>(rest_a.front()) <
               static_cast<unsigned char>(rest_b.front());
      }
      rest_a.remove_prefix(1);
      rest_b.remove_prefix(1);
    }
  }
  return rest_a.empty() != rest_b.empty() ? rest_a.empty() : a < b;
}

}  // namespace tyto
