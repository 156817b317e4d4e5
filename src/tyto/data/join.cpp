// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/join.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

constexpr std::size_t kNamed = 5;

using RowOf = std::unordered_map<std::string_view, Index>;  // looked up, never walked through

RowOf rows_by_id(std::span<const std::string> ids, std::string_view where) {
  RowOf rows;
  rows.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto [entry, is_new] = rows.emplace(ids[i], static_cast<Index>(i));
    if (!is_new) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the id \"{}\" stands twice, at rows {} and {} (counted from 1)",
                              where, ids[i], entry->second + 1, i + 1));
    }
  }
  return rows;
}

std::string first_few(const std::vector<std::string_view>& ids) {
  const std::span<const std::string_view> shown(ids.data(), std::min(ids.size(), kNamed));
  return fmt::format("{}{}", fmt::join(shown, ", "), ids.size() > kNamed ? ", ..." : "");
}

}  // namespace

IdJoin join_by_id(std::span<const std::string> samples, std::span<const std::string> features,
                  std::string_view what, Lost lost) {
  const RowOf sample_of = rows_by_id(samples, "the table of samples");
  const RowOf feature_of = rows_by_id(features, what);
  IdJoin join;
  std::vector<std::string_view> bare;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto found = feature_of.find(samples[i]);
    if (found == feature_of.end()) {
      bare.push_back(samples[i]);
    } else {
      join.sample.push_back(static_cast<Index>(i));
      join.feature.push_back(found->second);
    }
  }
  std::vector<std::string_view> strays;
  std::copy_if(features.begin(), features.end(), std::back_inserter(strays),
               [&](const std::string& id) { return !sample_of.contains(id); });
  std::vector<std::string> sentences;
  if (!bare.empty()) {
    sentences.push_back(fmt::format("{} of {} samples have no features in {}: {}", bare.size(),
                                    samples.size(), what, first_few(bare)));
  }
  if (!strays.empty()) {
    sentences.push_back(fmt::format("{} rows of {} belong to no sample: {}", strays.size(), what,
                                    first_few(strays)));
  }
  join.note = fmt::format("{}", fmt::join(sentences, "; "));
  if (!join.note.empty() && lost == Lost::refuse) {
    throw Error(ErrorKind::data,
                fmt::format("{}; `lost: leave_out` goes on without them", join.note));
  }
  if (join.sample.empty() && !samples.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}; none is left", join.note));
  }
  return join;
}

std::vector<std::string> read_id_list(const std::filesystem::path& path, std::string_view column) {
  if (path.extension() == ".txt") {
    std::vector<std::string> ids;
    const std::string text = read_file(path);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      std::string id = text.substr(begin, end - begin);
      if (id.ends_with('\r')) {
        id.pop_back();
      }
      ids.push_back(std::move(id));
      begin = end + 1;
    }
    return ids;
  }
  const CsvTable csv = CsvTable::load(path);
  const bool only = column.empty() && csv.columns().size() == 1;
  return csv.texts(only ? 0 : csv.column(column.empty() ? "id" : column));
}

IndexTable picked_rows(const IndexTable& table, Rows rows) {
  TYTO_ASSERT(table.frames.empty());
  IndexTable out;
  const auto pick = [&](const auto& from, auto& to) {
    if (!from.empty()) {
      to.reserve(rows.size());
      for (const Index row : rows) {
        to.push_back(from[at(row)]);
      }
    }
  };
  pick(table.id, out.id);
  pick(table.label, out.label);
  pick(table.split, out.split);
  pick(table.source, out.source);
  pick(table.group, out.group);
  pick(table.time, out.time);
  pick(table.start, out.start);
  pick(table.end, out.end);
  for (const auto& [name, values] : table.annotations) {
    pick(values, out.annotations[name]);
  }
  return out;
}

}  // namespace tyto
