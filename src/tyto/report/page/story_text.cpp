// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/story_text.hpp"

#include <fmt/format.h>

namespace tyto {

std::string grouped(Index number) {  // 12,345
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

std::string counted(Index number, std::string_view thing) {  // "1 class", "3 classes"
  const bool hisses = thing.ends_with("s");
  return fmt::format("{} {}{}", grouped(number), thing, number == 1 ? "" : hisses ? "es" : "s");
}

std::string percent(const RangedValue& value) {  // "74 % [72, 76]"
  if (value.low && value.high) {
    return fmt::format("{:.0f} % [{:.0f}, {:.0f}]", 100 * *value.value, 100 * *value.low,
                       100 * *value.high);
  }
  return fmt::format("{:.0f} %", 100 * *value.value);
}

std::string plain(const RangedValue& value) {  // "0.93 [0.92, 0.94]"
  return value.low && value.high
             ? fmt::format("{:.2f} [{:.2f}, {:.2f}]", *value.value, *value.low, *value.high)
             : fmt::format("{:.2f}", *value.value);
}

std::string repeated_text(const PageSource& source, const PageArm& arm) {
  const std::string& repeat = source.run_of(arm).repeat;
  const std::string counted_in =
      repeat == "seed" ? fmt::format("seed {}", source.seed_of(arm, arm.seeds.front()).seed)
                       : fmt::format("the first {}", repeat);
  return fmt::format(" Shares are means over {} {}s, counts those of {}.", arm.seeds.size(), repeat,
                     counted_in);
}

RangedValue number_called(const std::vector<HeadlineNumber>& headline, std::string_view name) {
  for (const HeadlineNumber& number : headline) {
    if (number.name == name) {
      return {number.value, number.low, number.high};
    }
  }
  return {};
}

}  // namespace tyto
