// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/reaction.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

std::optional<double> reaction_time(std::span<const std::uint8_t> is_novel,
                                    std::span<const std::uint8_t> is_called_novel,
                                    ReactionForm form) {
  if (is_novel.size() != is_called_novel.size()) {
    throw Error(ErrorKind::data, fmt::format("{} calls of novelty cannot be compared with {} "
                                             "samples: there must be one a sample",
                                             is_called_novel.size(), is_novel.size()));
  }
  const auto set = [](std::uint8_t flag) { return flag != 0; };
  const auto begin = is_novel.begin();
  const auto first = std::find_if(begin, is_novel.end(), set);  // a
  if (first == is_novel.end()) {
    return std::nullopt;
  }
  const auto calls = is_called_novel.begin();
  const auto call = std::find_if(calls + (first - begin), is_called_novel.end(), set);
  if (call == is_called_novel.end()) {
    return 1.0;
  }
  const auto detected = begin + (call - calls);  // d
  if (detected == first) {
    return 0.0;
  }
  auto end = is_novel.end();  // z + 1
  if (form.end == ReactionForm::End::last_novel) {
    while (!set(*(end - 1))) {
      --end;
    }
  }
  if (detected >= end) {
    return 1.0;
  }
  const auto seen_end = form.seen == ReactionForm::Seen::up_to_call ? detected + 1 : detected;
  const auto seen = static_cast<double>(std::count_if(first, seen_end, set));  // m
  const auto novel = static_cast<double>(std::count_if(first, is_novel.end(), set));
  const auto waited = static_cast<double>(detected - first);
  const auto span = static_cast<double>(end - first);
  return 2.0 / (span / waited + novel / seen);
}

}  // namespace tyto
