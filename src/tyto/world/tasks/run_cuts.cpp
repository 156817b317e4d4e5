// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/tasks/run_cuts.hpp"

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/data/join.hpp"
#include "tyto/sample/stores/picked_store.hpp"

namespace tyto {

namespace {

constexpr const char* kSegmentFirst = "segment_first";
constexpr const char* kSegmentEnd = "segment_end";

Index run_length(const IndexTable& table, Index row) {
  return table.frames.empty() ? 1 : table.frames[at(row)];
}

}  // namespace

RunCut whole_run(const IndexTable& table, Index row) {
  return {row, 0, run_length(table, row), ""};
}

Dataset cut_dataset(const Dataset& from, const std::vector<RunCut>& cuts) {
  std::vector<Index> begin{0};
  for (Index row = 0; row < from.table.size(); ++row) {
    begin.push_back(begin.back() + run_length(from.table, row));
  }
  std::vector<Index> rows;
  std::vector<Index> frames;
  for (const RunCut& cut : cuts) {
    TYTO_ASSERT(cut.first >= 0 && cut.first < cut.end &&
                cut.end <= run_length(from.table, cut.row));
    rows.push_back(cut.row);
    for (Index f = cut.first; f < cut.end; ++f) {
      frames.push_back(begin[at(cut.row)] + f);
    }
  }
  IndexTable bare = from.table;
  bare.frames.clear();
  Dataset out;
  out.name = from.name;
  out.summary = from.summary;
  out.about = from.about;
  out.picture = from.picture;
  out.table = picked_rows(bare, rows);
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const RunCut& cut = cuts[i];
    if (!cut.id.empty()) {
      out.table.id[i] = cut.id;
    }
    if (!from.table.frames.empty()) {
      out.table.frames.push_back(cut.end - cut.first);
    }
    if (cut.end - cut.first < run_length(from.table, cut.row)) {  // it is all action now
      for (auto& [name, values] : out.table.annotations) {
        if (name == kSegmentFirst) {
          values[i] = "0";
        } else if (name == kSegmentEnd) {
          values[i] = fmt::to_string(cut.end - cut.first);
        }
      }
    }
  }
  if (from.store) {
    out.store = std::make_shared<const PickedStore>(from.store, std::move(frames));
  }
  return out;
}

std::vector<RunCut> segment_cuts(const Dataset& data) {
  const auto first = data.table.annotations.find(kSegmentFirst);
  const auto end = data.table.annotations.find(kSegmentEnd);
  if (first == data.table.annotations.end() && end == data.table.annotations.end()) {
    return {};
  }
  if (first == data.table.annotations.end() || end == data.table.annotations.end()) {
    throw Error(ErrorKind::data,
                fmt::format("\"{}\" has one of the columns {} and {}, and needs both", data.name,
                            kSegmentFirst, kSegmentEnd));
  }
  std::vector<RunCut> cuts;
  for (Index row = 0; row < data.table.size(); ++row) {
    RunCut cut = whole_run(data.table, row);
    const std::string& from = first->second[at(row)];
    const std::string& to = end->second[at(row)];
    if (!from.empty() || !to.empty()) {
      const Index frames = cut.end;
      const auto begins = number_in<Index>(from);
      const auto ends = number_in<Index>(to);
      if (!begins || !ends || *begins < 0 || *begins >= *ends || *ends > frames) {
        throw Error(ErrorKind::data,
                    fmt::format("sample \"{}\" of \"{}\" has its segment from frame \"{}\" to "
                                "\"{}\" of {}; the first is below the end, the end at most the "
                                "number of frames",
                                data.table.id[at(row)], data.name, from, to, frames));
      }
      cut.first = *begins;
      cut.end = *ends;
    }
    cuts.push_back(std::move(cut));
  }
  return cuts;
}

}  // namespace tyto
