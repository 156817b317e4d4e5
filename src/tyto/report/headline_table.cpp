// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/headline_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/report/text_table.hpp"

namespace tyto {

std::string headline_table(std::span<const HeadlineArm> arms) {
  std::vector<std::string> header{"predictor", "feedback"};
  const std::vector<HeadlineNumber> legend =
      arms.empty() ? std::vector<HeadlineNumber>() : arms.front().numbers;
  for (const HeadlineNumber& number : legend) {
    header.push_back(number.title);
  }
  TextTable table(header);
  std::string last;
  for (const HeadlineArm& arm : arms) {
    std::vector<std::string> row{arm.predictor == last ? "" : arm.predictor, arm.feedback};
    last = arm.predictor;
    for (const HeadlineNumber& number : arm.numbers) {
      row.push_back(!number.value ? "-"
                    : number.deviation
                        ? fmt::format("{:.3f} +-{:.3f}", *number.value, *number.deviation)
                        : fmt::format("{:.3f}", *number.value));
    }
    table.add(std::move(row));
  }
  std::string out = table.text(1) + "\n";
  std::size_t widest = 0;
  for (const std::string& title : header) {
    widest = std::max(widest, title.size());
  }
  for (const HeadlineNumber& number : legend) {
    const std::string_view better = number.better == Better::higher  ? " Higher is better."
                                    : number.better == Better::lower ? " Lower is better."
                                                                     : "";
    const std::string meaning = number.meaning + std::string(better);
    out += fmt::format("{:<{}}{}", number.title, widest + 2,
                       wrapped(meaning, 100, widest + 2).substr(widest + 2));
  }
  return out;
}

}  // namespace tyto
