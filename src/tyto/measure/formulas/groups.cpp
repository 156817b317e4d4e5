// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/groups.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/math/quantile_parts.hpp"

namespace tyto {

namespace {

std::optional<double> number_of(std::string_view text) {
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = problem == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// "dQw4w9WgXcQ_000010_000020" is a clip of the video "dQw4w9WgXcQ".
std::string_view video_of(std::string_view clip) {
  constexpr std::size_t kTimes = 14;
  if (clip.size() <= kTimes) {
    return clip;
  }
  const std::string_view times = clip.substr(clip.size() - kTimes);
  for (std::size_t i = 0; i < kTimes; ++i) {
    const bool fits = i % 7 == 0 ? times[i] == '_' : times[i] >= '0' && times[i] <= '9';
    if (!fits) {
      return clip;
    }
  }
  return clip.substr(0, clip.size() - kTimes);
}

Groups group_by_value(std::span<const std::string> values, std::span<const std::uint8_t> measured) {
  std::vector<std::string> names;
  {
    std::map<std::string_view, bool> seen;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (measured[i] != 0 && !values[i].empty() && values[i] != kNotAnnotated) {
        seen.emplace(values[i], true);
      }
    }
    for (const auto& [name, is_seen] : seen) {
      names.emplace_back(name);
    }
  }
  if (std::all_of(names.begin(), names.end(), [](const auto& name) { return number_of(name); })) {
    std::stable_sort(names.begin(), names.end(),
                     [](const auto& a, const auto& b) { return *number_of(a) < *number_of(b); });
  }
  std::unordered_map<std::string_view, std::int32_t> places;
  for (const std::string& name : names) {
    places.emplace(name, static_cast<std::int32_t>(places.size()));
  }
  Groups groups;
  for (const std::string& value : values) {
    const auto found = places.find(value);
    groups.of.push_back(found == places.end() ? static_cast<std::int32_t>(names.size())
                                              : found->second);
  }
  groups.names = std::move(names);
  groups.names.emplace_back(kNotAnnotated);
  return groups;
}

Groups group_by_rank(const Truth& truth, std::span<const std::string> values,
                     std::span<const std::uint8_t> measured, std::string_view column, Index parts) {
  std::unordered_map<std::string_view, std::size_t> place_of;  // a sample of two phases counts once
  std::vector<std::size_t> place(values.size(), SIZE_MAX);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (measured[i] == 0) {
      continue;
    }
    const std::string_view name = i < truth.name.size() ? truth.name[i] : std::string_view();
    const auto [found, is_new] =
        name.empty() ? std::pair(place_of.end(), true) : place_of.try_emplace(name, numbers.size());
    if (is_new) {
      const auto value = number_of(values[i]);
      if (!value && !values[i].empty() && values[i] != kNotAnnotated) {
        throw Error(ErrorKind::data,
                    fmt::format("\"{}\" of sample {} is \"{}\", not a finite number, so it cannot "
                                "be cut into {} parts",
                                column, name.empty() ? std::to_string(i) : std::string(name),
                                values[i], parts));
      }
      place[i] = numbers.size();
      numbers.push_back(value.value_or(std::numeric_limits<double>::quiet_NaN()));
    } else {
      place[i] = found->second;
    }
  }
  const std::vector<Index> part_of = equal_count_parts(numbers, parts);
  std::vector<std::pair<double, double>> range(
      static_cast<std::size_t>(parts),
      {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()});
  Index annotated = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (part_of[i] >= 0) {
      auto& [low, high] = range[static_cast<std::size_t>(part_of[i])];
      low = std::min(low, numbers[i]);
      high = std::max(high, numbers[i]);
      ++annotated;
    }
  }
  Groups groups;
  std::vector<std::string> cuts;
  for (Index part = 0; part < parts; ++part) {
    groups.names.push_back(fmt::format("{} of {}", part + 1, parts));
    const auto& [low, high] = range[static_cast<std::size_t>(part)];
    if (low <= high) {
      cuts.push_back(fmt::format("{}: {:g} to {:g}", groups.names.back(), low, high));
    }
  }
  groups.names.emplace_back(kNotAnnotated);
  for (const std::size_t at : place) {
    const Index part = at == SIZE_MAX ? -1 : part_of[at];
    groups.of.push_back(static_cast<std::int32_t>(part < 0 ? parts : part));
  }
  groups.note = fmt::format("{} cut into {} parts of equal count over {} samples; {}", column,
                            parts, annotated, fmt::join(cuts, ", "));
  return groups;
}

}  // namespace

std::vector<std::string> annotation_values(const Truth& truth, std::string_view column) {
  if (const auto found = truth.annotations.find(std::string(column));
      found != truth.annotations.end()) {
    std::vector<std::string> values = found->second;
    values.resize(truth.label.size());
    return values;
  }
  if (column == "label") {
    return truth.label;
  }
  std::vector<std::string> names;
  for (const auto& [name, values] : truth.annotations) {
    names.push_back(name);
  }
  names.emplace_back("label");
  throw unknown_name("annotation of the samples", column, names);
}

std::vector<std::string> joined_values(const Truth& truth, std::span<const std::string> ids,
                                       std::span<const std::string> values,
                                       std::string_view table) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!places.emplace(ids[i], i).second) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the id \"{}\" stands twice, so nothing can be joined by it",
                              table, ids[i]));
    }
  }
  std::vector<std::string> joined(truth.label.size());
  bool any = false;
  for (std::size_t i = 0; i < truth.name.size(); ++i) {
    auto found = places.find(truth.name[i]);
    if (found == places.end()) {
      found = places.find(video_of(truth.name[i]));
    }
    if (found != places.end()) {
      joined[i] = values[found->second];
      any = true;
    }
  }
  if (!any && !truth.name.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{}: none of its {} ids is the name of a sample such as \"{}\"", table,
                            ids.size(), truth.name.front()));
  }
  return joined;
}

Groups make_groups(const Truth& truth, std::span<const std::string> values,
                   std::span<const std::uint8_t> measured, std::string_view column,
                   std::optional<Index> parts) {
  TYTO_ASSERT(values.size() == measured.size());
  return parts ? group_by_rank(truth, values, measured, column, *parts)
               : group_by_value(values, measured);
}

}  // namespace tyto
