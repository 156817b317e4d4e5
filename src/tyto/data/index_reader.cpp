// SPDX-License-Identifier: Apache-2.0
// The checks on an index table: ids, labels and splits.
#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/data/dataset_file.hpp"
#include "tyto/data/split_word.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

namespace {

class IndexReader {
 public:
  IndexReader(const CsvTable& csv, const std::map<std::string, std::string>& table_column,
              const std::vector<Index>& taken, std::vector<Breach>* breaches)
      : csv_(csv),
        mapping_(table_column),
        taken_(taken.begin(), taken.end()),
        breaches_(breaches) {}

  IndexTable read() {
    IndexTable table;
    const auto id = claim("id");
    const auto label = claim("label");
    read_ids(table, id);
    read_labels(table, label);
    read_splits(table, claim("split"));
    take_texts(table.source, claim("source"));
    take_texts(table.group, claim("group"));
    take_numbers(table.time, claim("time"));
    take_numbers(table.start, claim("start"));
    take_numbers(table.end, claim("end"));
    read_frames(table, claim("frames"));
    for (Index column = 0; column < static_cast<Index>(csv_.columns().size()); ++column) {
      if (!taken_.contains(column)) {
        const std::string& name = csv_.columns()[static_cast<std::size_t>(column)];
        table.annotations.emplace(claimed_names_.contains(name) ? "original_" + name : name,
                                  csv_.texts(column));
      }
    }
    return table;
  }

 private:
  // The CSV's column for a column of the table; none if the CSV has none.
  std::optional<Index> claim(const std::string& name) {
    const auto given = mapping_.find(name);
    const bool mapped = given != mapping_.end() && !given->second.empty();
    const auto column = mapped ? std::optional(csv_.column(given->second)) : csv_.find(name);
    if (!column || (!mapped && taken_.contains(*column))) {
      return {};  // a feature may be called "time"
    }
    taken_.insert(*column);
    claimed_names_.insert(name);
    return column;
  }

  void breach(std::string rule, Index row, std::string text) const {
    if (breaches_ == nullptr) {
      throw Error(ErrorKind::data, text);
    }
    breaches_->push_back({std::move(rule), std::move(text), row});
  }

  void read_ids(IndexTable& table, std::optional<Index> column) const {
    table.id.reserve(static_cast<std::size_t>(csv_.rows()));
    if (!column) {
      for (Index row = 0; row < csv_.rows(); ++row) {
        table.id.push_back(std::to_string(row));
      }
      return;
    }
    std::unordered_map<std::string_view, Index> first;
    for (Index row = 0; row < csv_.rows(); ++row) {
      const std::string_view id = csv_.text(row, *column);
      const auto [known, fresh] = first.emplace(id, row);
      if (id.empty()) {
        breach("empty_id", row, fmt::format("{}: the id is empty", csv_.place(row, *column)));
      } else if (!fresh) {
        breach("repeated_id", row,
               fmt::format("{}: the id \"{}\" stands already in line {}", csv_.place(row, *column),
                           id, csv_.line(known->second)));
      }
      table.id.push_back(id.empty() || !fresh ? fmt::format("row {}", row) : std::string(id));
    }
  }

  void read_labels(IndexTable& table, std::optional<Index> column) const {
    if (!column) {
      table.label.assign(static_cast<std::size_t>(csv_.rows()), "");
      return;
    }
    LabelSpace names;  // knows which names are reserved
    for (Index row = 0; row < csv_.rows(); ++row) {
      std::string_view label = csv_.text(row, *column);
      if (!label.empty()) {
        try {
          names.add_known(label);
        } catch (const Error& problem) {
          breach("reserved_label", row,
                 fmt::format("{}: {}", csv_.place(row, *column), problem.what()));
          label = "";
        }
      }
      table.label.emplace_back(label);
    }
  }

  void read_splits(IndexTable& table, std::optional<Index> column) const {
    if (!column) {
      return;
    }
    for (Index row = 0; row < csv_.rows(); ++row) {
      const std::string_view word = csv_.text(row, *column);
      const std::string_view split = canonical_split(word);
      if (split.empty() && !word.empty()) {
        breach("unknown_split", row,
               fmt::format("{}: the split \"{}\" is not one of train, validate, test or empty",
                           csv_.place(row, *column), word));
      }
      table.split.emplace_back(split);
    }
  }

  void read_frames(IndexTable& table, std::optional<Index> column) const {
    if (!column) {
      return;
    }
    table.frames = csv_.counts(*column);
    const auto none = std::find(table.frames.begin(), table.frames.end(), 0);
    if (none != table.frames.end()) {
      throw Error(ErrorKind::data, fmt::format("{}: a sample needs at least one frame",
                                               csv_.place(none - table.frames.begin(), *column)));
    }
  }

  void take_texts(std::vector<std::string>& out, std::optional<Index> column) const {
    if (column) {
      out = csv_.texts(*column);
    }
  }

  void take_numbers(std::vector<double>& out, std::optional<Index> column) const {
    if (column) {
      out = csv_.numbers(*column);
    }
  }

  const CsvTable& csv_;
  const std::map<std::string, std::string>& mapping_;
  std::set<Index> taken_;
  std::set<std::string> claimed_names_;
  std::vector<Breach>* breaches_;  // none: the first is thrown
};

}  // namespace

IndexTable read_index(const CsvTable& csv, const std::map<std::string, std::string>& table_column,
                      const std::vector<Index>& taken, std::vector<Breach>* breaches) {
  return IndexReader(csv, table_column, taken, breaches).read();
}

}  // namespace tyto
