// SPDX-License-Identifier: Apache-2.0
#include "tyto/server/wire_text.hpp"

#include <algorithm>
#include <cctype>

namespace tyto {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const int letter = std::tolower(static_cast<unsigned char>(c));
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const int high = text[at] == '%' && at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[at + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      at += 2;
    } else {
      out += text[at] == '+' ? ' ' : text[at];
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> parameters_of(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view piece = text.substr(0, end);
    const std::size_t equals = std::min(piece.find('='), piece.size());
    if (!piece.empty()) {
      out.emplace_back(percent_decoded(piece.substr(0, equals)),
                       percent_decoded(piece.substr(std::min(equals + 1, piece.size()))));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const auto begin = text.find_first_not_of(kBlanks);
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool equal_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::vector<std::string> split_at_bars(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    out.emplace_back(text.substr(begin, end - begin));
    if (end == text.size()) {
      return out;
    }
    begin = end + 1;
  }
}

}  // namespace tyto
