// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/record.hpp"

#include <optional>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"

namespace tyto {

std::string PhaseKey::name() const {
  return batch == 0 ? fmt::format("{:03}_{}_{}", step, phase, split)
                    : fmt::format("{:03}-{:04}_{}_{}", step, batch, phase, split);
}

std::string nuisance_split(std::string_view nuisance) {
  return fmt::format("test:{}", nuisance);
}

std::string_view nuisance_of(std::string_view split) {
  constexpr std::string_view kSeenAs = "test:";
  return split.starts_with(kSeenAs) ? split.substr(kSeenAs.size()) : std::string_view();
}

std::vector<Index> annotated_tasks(const Truth& truth) {
  const auto found = truth.annotations.find("task");
  if (found == truth.annotations.end()) {
    return {};
  }
  std::vector<Index> tasks;
  bool any = false;
  for (const std::string& text : found->second) {
    const auto number = text.empty() ? std::optional<Index>(0) : number_in<Index>(text);
    if (!number || (*number < 1 && !text.empty())) {
      return {};
    }
    any = any || *number > 0;
    tasks.push_back(*number);
  }
  return any ? tasks : std::vector<Index>();
}

}  // namespace tyto
