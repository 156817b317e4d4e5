// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/learn/lesson_data.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

std::vector<std::string> LessonData::classes() const {
  const std::set<std::string> all(label.begin(), label.end());
  return {all.begin(), all.end()};
}

LessonData lesson_data(const Dataset& dataset, const Rng& rng) {
  const IndexTable& table = dataset.table;
  LessonData out;
  out.without_labels = std::all_of(table.label.begin(), table.label.end(),
                                   [](const std::string& label) { return label.empty(); });
  std::vector<Index> first_frame{0};
  for (Index i = 0; i < table.size(); ++i) {
    first_frame.push_back(first_frame.back() + (table.frames.empty() ? 1 : table.frames[at(i)]));
  }
  const bool has_test =
      std::find(table.split.begin(), table.split.end(), "test") != table.split.end();
  std::map<std::string, Index> group_number;
  Samples::Table rows;
  if (!table.frames.empty()) {
    rows.first.push_back(0);
  }
  for (const Index i : rng.fork("order").permutation(table.size())) {
    if (!out.without_labels && table.label[at(i)].empty()) {
      ++out.unlabelled;
      continue;
    }
    const auto id = static_cast<std::uint32_t>(rows.id.size());
    rows.id.push_back(static_cast<SampleId>(id));
    for (Index frame = first_frame[at(i)]; frame < first_frame[at(i) + 1]; ++frame) {
      rows.row.push_back(frame);
    }
    if (!table.frames.empty()) {
      rows.first.push_back(std::ssize(rows.row));
    }
    if (!table.time.empty()) {
      rows.time.push_back(table.time[at(i)]);
    }
    if (!table.group.empty()) {
      const Index number =
          group_number.emplace(table.group[at(i)], std::ssize(group_number)).first->second;
      out.group.push_back(number);
      rows.group.push_back(static_cast<std::uint32_t>(number));
    }
    if (has_test) {
      out.in_test.push_back(table.split[at(i)] == "test");
    }
    out.label.push_back(out.without_labels ? std::string(kOneClass) : table.label[at(i)]);
    out.names.emplace(id, table.id[at(i)]);
  }
  if (rows.id.size() < 2) {
    throw Error(ErrorKind::data,
                fmt::format("{}: {} labelled samples; two at least are needed to learn from",
                            dataset.name, rows.id.size()));
  }
  out.samples = Samples(dataset.store, std::move(rows));
  return out;
}

}  // namespace tyto
