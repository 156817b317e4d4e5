// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/foreign/known_list.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"

namespace tyto {

namespace {

constexpr std::string_view kAfter = "post";

std::vector<std::string> cut(std::string_view text, char at) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const auto end = std::min(text.find(at), text.size());
    std::string_view piece = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto begin = piece.find_first_not_of(" \t\r");
    if (begin != piece.npos) {
      pieces.emplace_back(piece.substr(begin, piece.find_last_not_of(" \t\r") + 1 - begin));
    }
  }
  return pieces;
}

}  // namespace

KnownList::KnownList(const std::vector<std::string>& labels) {
  for (const std::string& label : labels) {
    add(0, false, label);
  }
}

void KnownList::add(Index step, bool after_feedback, std::string_view label) {
  const auto found = std::find(labels_.begin(), labels_.end(), label);
  entries_.push_back({step, after_feedback, static_cast<std::size_t>(found - labels_.begin())});
  if (found == labels_.end()) {
    labels_.emplace_back(label);
  }
}

KnownList KnownList::load(const std::filesystem::path& path) {
  const std::string name = path.string();
  KnownList list;
  if (!name.ends_with(".csv") && !name.ends_with(".csv.gz")) {
    list = KnownList(cut(read_maybe_gz(path), '\n'));
  } else {
    const CsvTable table = CsvTable::load(path);
    const Index label = table.column("label");
    const auto increment = table.find("increment");
    const auto phase = table.find("phase");
    const auto steps = increment ? table.counts(*increment)
                                 : std::vector<Index>(static_cast<std::size_t>(table.rows()), 0);
    for (Index row = 0; row < table.rows(); ++row) {
      if (table.text(row, label).empty()) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: the label is empty", table.place(row, label)));
      }
      list.add(steps[static_cast<std::size_t>(row)], phase && table.text(row, *phase) == kAfter,
               table.text(row, label));
    }
  }
  if (list.labels_.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}: lists no label", name));
  }
  return list;
}

KnownList KnownList::parse(const std::string& argument) {
  std::error_code ignored;
  if (std::filesystem::exists(argument, ignored)) {
    return load(argument);
  }
  KnownList list(cut(argument, ','));
  if (list.labels_.empty()) {
    throw Error(ErrorKind::config, fmt::format("known classes \"{}\": lists no label", argument));
  }
  return list;
}

std::vector<std::string> KnownList::at(Index step, std::string_view phase) const {
  std::vector<bool> is_known(labels_.size());
  for (const Entry& entry : entries_) {
    const bool since =
        entry.step < step || (entry.step == step && (!entry.after_feedback || phase == kAfter));
    is_known[entry.label] = is_known[entry.label] || since;
  }
  std::vector<std::string> known;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    if (is_known[i]) {
      known.push_back(labels_[i]);
    }
  }
  return known;
}

}  // namespace tyto
