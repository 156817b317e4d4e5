// SPDX-License-Identifier: Apache-2.0
#include "tyto/core/named.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tyto {

namespace {

// Letters to add, drop, change, or exchange with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_word(std::string_view typed, std::span<const std::string> words) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, typed.size() / 3) + 1;
  for (const std::string& word : words) {
    const std::size_t distance = edit_distance(typed, word);
    if (distance < best_distance) {
      best = word;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> words) {
  const std::string near = nearest_word(typed, words);
  return near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near);
}

Error unknown_name(std::string_view kind, std::string_view typed,
                   std::span<const std::string> names) {
  return {ErrorKind::config, fmt::format("no {} is called \"{}\"{}; there are: {}", kind, typed,
                                         did_you_mean(typed, names), fmt::join(names, ", "))};
}

}  // namespace tyto
