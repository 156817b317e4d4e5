// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/report_groups.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "tyto/cli/group_column.hpp"
#include "tyto/core/error.hpp"
#include "tyto/engine/use/measure_target.hpp"
#include "tyto/measure/formulas/groups.hpp"

namespace tyto {

namespace {

constexpr std::size_t kMostGroups = 40;
constexpr Index kThirds = 3;

bool is_number_or_none(const std::string& text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return text.empty() || text == kNotAnnotated ||
         (problem == std::errc() && end == text.data() + text.size());
}

std::vector<WantedGroups> all_columns(const Annotations& annotations) {
  std::vector<WantedGroups> wanted;
  for (const auto& [column, values] : annotations.columns()) {
    std::set<std::string_view> distinct(values.begin(), values.end());
    distinct.erase("");
    distinct.erase(kNotAnnotated);
    const bool many = distinct.size() > kMostGroups;
    if (distinct.size() >= 2 && values != annotations.ids() &&
        (!many || std::all_of(values.begin(), values.end(), is_number_or_none))) {
      wanted.push_back({column, many ? std::optional(kThirds) : std::nullopt, annotations.ids(),
                        values, annotations.name()});
    }
  }
  if (wanted.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("--annotations {}: none of its columns has 2 to {} values or numbers",
                            annotations.name(), kMostGroups));
  }
  return wanted;
}

}  // namespace

std::vector<WantedGroups> wanted_groups(const std::vector<std::string>& by,
                                        const std::string& annotations,
                                        const std::vector<std::string>& data) {
  std::optional<Annotations> table;
  if (!annotations.empty()) {
    table.emplace(annotations, data);
  }
  if (by.empty()) {
    return table ? all_columns(*table) : std::vector<WantedGroups>();
  }
  std::vector<WantedGroups> wanted;
  bool is_used = false;
  for (const std::string& text : by) {
    const auto [column, parts] = parse_by(text);
    if (table && table->has(column)) {
      wanted.push_back({column, parts, table->ids(), table->column(column), table->name()});
      is_used = true;
    } else {
      wanted.push_back({column, parts, {}, {}, ""});
    }
  }
  if (table && !is_used) {
    static_cast<void>(table->column(wanted.front().column));  // says which columns it has
  }
  return wanted;
}

}  // namespace tyto
