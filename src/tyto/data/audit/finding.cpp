// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/finding.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tyto {

std::string_view to_word(Finding::Weight weight) {
  return weight == Finding::Weight::problem ? "problem" : "note";
}

void sort_findings(std::vector<Finding>& findings) {
  std::stable_partition(findings.begin(), findings.end(),
                        [](const Finding& f) { return f.weight == Finding::Weight::problem; });
}

std::string sample_name(const Dataset& dataset, Index sample) {
  const auto at = static_cast<std::size_t>(sample);
  const std::string& id = dataset.table.id[at];
  return dataset.files.lines.empty() ? fmt::format("\"{}\"", id)
                                     : fmt::format("\"{}\" (line {})", id, dataset.files.lines[at]);
}

std::string split_of(const IndexTable& table, Index sample) {
  return table.split.empty() ? "" : table.split[static_cast<std::size_t>(sample)];
}

std::string plural(Index count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  if (names.size() <= kShown) {
    return fmt::format("{}", fmt::join(names, ", "));
  }
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShown, ", "),
                     names.size() - kShown);
}

}  // namespace tyto
