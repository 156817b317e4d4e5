// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/summary.hpp"

#include <algorithm>
#include <set>

#include "tyto/data/audit/checks.hpp"

namespace tyto {

namespace {

Index distinct(const std::vector<std::string>& values) {
  return static_cast<Index>(std::set<std::string_view>(values.begin(), values.end()).size());
}

void count_table(const IndexTable& table, DatasetSummary& out) {
  std::map<std::string, ClassSummary> classes;
  for (std::size_t i = 0; i < table.id.size(); ++i) {
    if (!table.split.empty()) {
      ++out.splits[table.split[i]];
    }
    if (table.label[i].empty()) {
      ++out.unlabelled;
      continue;
    }
    ClassSummary& entry = classes[table.label[i]];
    ++entry.samples;
    if (!table.split.empty()) {
      ++entry.by_split[table.split[i]];
    }
  }
  for (auto& [name, entry] : classes) {
    entry.name = name;
    out.classes.push_back(std::move(entry));
  }
  out.groups = distinct(table.group);
  out.collections = distinct(table.source);
  for (const auto& [name, values] : table.annotations) {
    out.annotations[name] = distinct(values);
  }
}

SourceSummary source_summary(const SourceScan& scan) {
  SourceSummary source;
  source.name = scan.name;
  source.shape = scan.shape;
  source.columns = scan.names;
  source.low = scan.low;
  source.high = scan.high;
  source.mean = scan.mean;
  source.bad_rows = scan.bad_rows;
  source.constant_columns = std::count_if(scan.columns.begin(), scan.columns.end(),
                                          [](const ColumnScan& column) { return column.constant; });
  return source;
}

void take_head(const Dataset& dataset, const SourceScan& source, Index head_rows,
               DatasetSummary& out) {
  constexpr Index kShown = 6;
  const IndexTable& table = dataset.table;
  Index row = 0;
  for (Index i = 0; i < std::min(head_rows, table.size()); ++i) {
    const auto at = static_cast<std::size_t>(i);
    Matrix values(1, source.width());
    dataset.store->gather(source.name, std::span(&row, 1), values);
    const Index shown = std::min(kShown, source.width());
    out.head.push_back({table.id[at],
                        table.label[at],
                        split_of(table, i),
                        table.group.empty() ? "" : table.group[at],
                        {values.data(), values.data() + shown}});
    row += table.frames.empty() ? 1 : table.frames[at];
  }
}

}  // namespace

DatasetSummary summarise(const Dataset& dataset, const DatasetScan& scan, Index head_rows) {
  constexpr Index kExamples = 0;  // `tyto data audit` gives them
  DatasetSummary out;
  out.name = dataset.name;
  out.summary = dataset.summary;
  out.about = dataset.about;
  out.samples = dataset.table.size();
  out.store_rows = dataset.store->rows();
  count_table(dataset.table, out);
  for (const SourceScan& source : scan.sources) {
    out.sources.push_back(source_summary(source));
  }
  out.findings = common_findings(dataset, scan, kExamples);
  if (!scan.sources.empty()) {
    take_head(dataset, scan.sources.front(), head_rows, out);
  }
  return out;
}

DatasetSummary summarise(const Dataset& dataset, Progress& progress, Index head_rows) {
  return summarise(dataset, scan_dataset(dataset, progress), head_rows);
}

}  // namespace tyto
