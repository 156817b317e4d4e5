// SPDX-License-Identifier: Apache-2.0
#include "tyto/sail_on/edit_distance.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tyto/sail_on/unicode.hpp"

namespace tyto::sail_on {

namespace {

bool is_word(char32_t c) {
  if (c < 0x80) {
    return (c >= U'0' && c <= U'9') || (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') ||
           c == U'_';
  }
  const bool latin_mark = c <= 0xBF && c != 0xAA && c != 0xB5 && c != 0xBA;
  const bool sign = c == 0xD7 || c == 0xF7;
  const bool punctuation = (c >= 0x2000 && c <= 0x206F) || (c >= 0x20A0 && c <= 0x20CF) ||
                           (c >= 0x2190 && c <= 0x2BFF) || (c >= 0x3000 && c <= 0x303F);
  return !latin_mark && !sign && !punctuation;
}

std::u32string without_marks(std::u32string text) {
  std::erase_if(text, [](char32_t c) { return c == U';' || c == U'"' || c == U'|'; });
  std::u32string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    out += text[at];
    if (text[at] == U' ' && at + 1 < text.size() && text[at + 1] == U' ') {
      ++at;
    }
  }
  return out;
}

std::u32string_view trimmed(std::u32string_view piece) {
  constexpr std::u32string_view kBlanks = U" \t\r\n\v\f\u00A0";
  const auto begin = piece.find_first_not_of(kBlanks);
  return begin == piece.npos ? std::u32string_view()
                             : piece.substr(begin, piece.find_last_not_of(kBlanks) - begin + 1);
}

// Pieces are word, other, word, ...; the first and the last are words and may be empty.
std::u32string normalised(std::string_view text) {
  const std::u32string marked = without_marks(code_points(text));
  std::u32string out;
  bool word = true;
  std::size_t begin = 0;
  while (true) {
    std::size_t end = begin;
    while (end < marked.size() && is_word(marked[end]) == word) {
      ++end;
    }
    out += trimmed(std::u32string_view(marked).substr(begin, end - begin));
    if (end == marked.size() && word) {
      return out;
    }
    out += U' ';
    begin = end;
    word = !word;
  }
}

}  // namespace

std::int64_t transcript_distance(std::string_view truth, std::string_view posted) {
  const std::u32string a = normalised(truth);
  const std::u32string b = normalised(posted);
  std::vector<std::int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::int64_t diagonal = row[0];
    row[0] = static_cast<std::int64_t>(i) + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::int64_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace tyto::sail_on
