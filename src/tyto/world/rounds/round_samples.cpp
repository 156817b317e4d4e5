// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/round_samples.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/world/increments/splits.hpp"

namespace tyto {

namespace {

std::vector<std::uint32_t> opaque_groups(const IndexTable& table, const Rng& rng) {
  const std::vector<Index> codes = group_codes(table, 0, table.size());
  if (codes.empty()) {
    return {};
  }
  const Index count = *std::max_element(codes.begin(), codes.end()) + 1;
  const std::vector<std::uint32_t> drawn = opaque_numbers(count, rng.fork("groups"));
  std::vector<std::uint32_t> groups;
  groups.reserve(codes.size());
  for (const Index code : codes) {
    groups.push_back(drawn[at(code)] + 1);
  }
  return groups;
}

}  // namespace

RoundSamples::RoundSamples(Dataset data, RoundLists lists, const Rng& rng)
    : data_(std::move(data)), lists_(std::move(lists)) {
  const IndexTable& table = data_.table;
  if (!data_.store) {
    throw Error(ErrorKind::data, fmt::format("\"{}\" has no features", data_.name));
  }
  const Index train = std::ssize(lists_.train);
  const Index names = std::ssize(lists_.name);
  // Those of `again` behind the others, whose ids do not hang on them: an agent that sees one test
  // after another does not know what is to come again.
  id_ = opaque_numbers(train + names, rng.fork("samples"));
  for (Index i = 0; i < std::ssize(lists_.again); ++i) {
    id_.push_back(static_cast<std::uint32_t>(train + names + i));
    by_test_.emplace(lists_.again[at(i)], train + names + i);
  }
  group_ = opaque_groups(table, rng);
  Index next = 0;
  for (Index row = 0; row < table.size(); ++row) {
    first_frame_.push_back(next);
    next += table.frames.empty() ? 1 : table.frames[at(row)];
  }
  for (Index i = 0; i < names; ++i) {
    by_name_.emplace(lists_.name[at(i)], train + i);
  }
}

Index RoundSamples::place(Index test, const std::string& name) const {
  if (!by_test_.empty()) {
    if (const auto again = by_test_.find({test, name}); again != by_test_.end()) {
      return again->second;
    }
  }
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? -1 : found->second;
}

SampleId RoundSamples::id(Index test, const std::string& name) const {
  const Index found = place(test, name);
  TYTO_ASSERT(found >= 0);
  return static_cast<SampleId>(id_[at(found)]);
}

Index RoundSamples::table_row(const std::string& name) const {
  return lists_.row[at(by_name_.at(name) - std::ssize(lists_.train))];
}

void RoundSamples::add(Samples::Table& table, Index place, Index row) const {
  table.id.push_back(static_cast<SampleId>(id_[at(place)]));
  const std::vector<Index>& frames = data_.table.frames;
  for (Index f = 0; f < (frames.empty() ? 1 : frames[at(row)]); ++f) {
    table.row.push_back(first_frame_[at(row)] + f);
  }
  if (!frames.empty()) {
    table.first.push_back(std::ssize(table.row));
  }
  if (!group_.empty()) {
    table.group.push_back(group_[at(row)]);
  }
  if (!data_.table.time.empty()) {
    table.time.push_back(data_.table.time[at(row)]);
  }
}

Samples RoundSamples::train() const {
  Samples::Table table;
  if (!data_.table.frames.empty()) {
    table.first.push_back(0);
  }
  for (Index i = 0; i < std::ssize(lists_.train); ++i) {
    add(table, i, lists_.train[at(i)]);
  }
  return Samples(data_.store, std::move(table));
}

Samples RoundSamples::pick(Index test, std::span<const std::string> names) const {
  Samples::Table table;
  if (!data_.table.frames.empty()) {
    table.first.push_back(0);
  }
  Index missing = 0;
  std::string first;
  for (const std::string& name : names) {
    const Index found = place(test, name);
    if (found >= 0) {
      add(table, found, table_row(name));
    } else if (missing++ == 0) {
      first = name;
    }
  }
  if (missing > 0) {
    throw Error(ErrorKind::data,
                fmt::format("\"{}\" has no features for {} of {} samples of a round, the first of "
                            "them \"{}\"",
                            data_.name, missing, names.size(), first));
  }
  return Samples(data_.store, std::move(table));
}

}  // namespace tyto
