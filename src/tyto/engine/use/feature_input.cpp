// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/use/feature_input.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/csv/csv_stream.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/piece_reader.hpp"
#include "tyto/core/named.hpp"
#include "tyto/data/described_table.hpp"
#include "tyto/math/all_finite.hpp"
#include "tyto/sample/blocks.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {

namespace {

[[noreturn]] void refuse_columns(std::string message) {
  throw ColumnError(ErrorKind::data, std::move(message));
}

// As people and programs write that there is no value.
bool is_missing(std::string_view cell) {
  constexpr std::array<std::string_view, 5> kWords{"", "NA", "N/A", "null", "?"};
  const auto begin = cell.find_first_not_of(" \t\r");
  cell = begin == cell.npos ? "" : cell.substr(begin, cell.find_last_not_of(" \t\r") - begin + 1);
  return std::find(kWords.begin(), kWords.end(), cell) != kWords.end();
}

Samples::Table numbered_table(Index rows, std::uint32_t first_id) {
  Samples::Table table;
  for (Index i = 0; i < rows; ++i) {
    const std::uint32_t id = first_id + static_cast<std::uint32_t>(i);
    table.id.push_back(static_cast<SampleId>(id));
    table.row.push_back(i);
    table.group.push_back(id);
  }
  return table;
}

class CsvInput final : public FeatureInput {
 public:
  CsvInput(CsvStream stream, InputOptions options)
      : stream_(std::move(stream)), options_(std::move(options)) {}

  [[nodiscard]] bool has_ids() const override { return id_ || !options_.id_column.empty(); }

  // Settles the columns by the first line, for who asks before reading rows; waits for that line.
  void start() {
    std::vector<CsvStream::Record> first = stream_.read(1, true);
    if (!first.empty()) {
      started_ = true;
      if (!begin(first.front())) {
        pending_ = std::move(first);
      }
    }
  }

  [[nodiscard]] InputRows next(Index most) override {
    if (!started_) {
      start();
    }
    std::vector<CsvStream::Record> records = std::move(pending_);
    pending_.clear();
    if (std::ssize(records) < most && (records.empty() || options_.wait)) {
      auto more = stream_.read(most - std::ssize(records), options_.wait);
      std::move(more.begin(), more.end(), std::back_inserter(records));
    }
    InputRows out;
    out.first = row_ + 1;
    Matrix features(static_cast<Index>(records.size()), static_cast<Index>(features_.size()));
    for (std::size_t i = 0; i < records.size(); ++i) {
      const CsvStream::Record& record = records[i];
      if (record.cells.size() != names_.size()) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: line {} has {} columns, the first line has {}", stream_.name(),
                                record.line, record.cells.size(), names_.size()));
      }
      for (std::size_t c = 0; c < features_.size(); ++c) {
        features(static_cast<Index>(i), static_cast<Index>(c)) = number(record, features_[c]);
      }
      ++row_;
      out.id.push_back(id_ ? record.cells[*id_] : fmt::format("{}", row_));
      out.label.push_back(label_ ? record.cells[*label_] : "");
    }
    if (records.empty()) {
      return out;
    }
    std::vector<DenseStore::Source> sources;
    sources.push_back({options_.source, std::move(features), feature_names_});
    out.samples = Samples(std::make_shared<const DenseStore>(std::move(sources)),
                          numbered_table(static_cast<Index>(records.size()), options_.first_id),
                          Lifetime::lent);
    options_.first_id += static_cast<std::uint32_t>(records.size());
    return out;
  }

 private:
  [[nodiscard]] float number(const CsvStream::Record& record, std::size_t column) const {
    const auto value = number_in<float>(record.cells[column]);
    if (options_.missing && (value ? std::isnan(*value) : is_missing(record.cells[column]))) {
      return std::numeric_limits<float>::quiet_NaN();
    }
    if (!value || !std::isfinite(*value)) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: line {}, column {}: \"{}\" is not a finite number", stream_.name(),
                      record.line, column_text(column), record.cells[column]));
    }
    return *value;
  }

  [[nodiscard]] std::string column_text(std::size_t column) const {
    return has_header_ ? fmt::format("\"{}\"", names_[column]) : fmt::format("{}", column + 1);
  }

  // Names that are numbers are known by the predictor having learned from them.
  [[nodiscard]] bool is_header(const CsvStream::Record& first) const {
    std::vector<std::string> known = options_.ignore;
    known.insert(known.end(), options_.others.begin(), options_.others.end());
    for (const std::string& name : {options_.id_column, options_.label_column}) {
      if (!name.empty()) {
        known.push_back(name);
      }
    }
    const auto is_there = [&](const std::string& name) {
      return std::find(first.cells.begin(), first.cells.end(), name) != first.cells.end();
    };
    const bool has_all = !options_.columns.empty() &&
                         std::all_of(options_.columns.begin(), options_.columns.end(), is_there);
    return has_all || names_columns({stream_.name(), first.line, first.cells}, known);
  }

  // Settles the columns; true: the record is a header.
  bool begin(const CsvStream::Record& first) {
    has_header_ = is_header(first);
    names_ = first.cells;
    const auto find = [&](const std::string& wanted, std::string_view what) -> std::size_t {
      const auto found = std::find(names_.begin(), names_.end(), wanted);
      if (!has_header_ || found == names_.end()) {
        throw Error(ErrorKind::data,
                    has_header_
                        ? fmt::format("{}: there is no column \"{}\"{}, which {}", stream_.name(),
                                      wanted, did_you_mean(wanted, names_), what)
                        : fmt::format("{}: the first line names no columns, so there is no column "
                                      "\"{}\", which {}",
                                      stream_.name(), wanted, what));
      }
      return static_cast<std::size_t>(found - names_.begin());
    };
    std::vector<bool> taken(names_.size(), false);
    const auto claim = [&](const std::string& wanted, std::string_view what) {
      const std::size_t column = find(wanted, what);
      taken[column] = true;
      return column;
    };
    const auto is_there = [&](const std::string& name) {
      return has_header_ && std::find(names_.begin(), names_.end(), name) != names_.end();
    };
    if (!options_.id_column.empty()) {
      id_ = claim(options_.id_column, "should name the samples");
    } else if (!options_.usual_id.empty() && is_there(options_.usual_id)) {
      id_ = claim(options_.usual_id, "names the samples");
    }
    for (const std::string& name : options_.others) {
      if (is_there(name)) {
        claim(name, "is no feature");
      }
    }
    if (!options_.label_column.empty()) {
      label_ = claim(options_.label_column, "holds the labels to learn");
    }
    for (const std::string& name : options_.ignore) {
      if (options_.absent &&
          (!has_header_ || std::find(names_.begin(), names_.end(), name) == names_.end())) {
        options_.absent->insert(name);
        continue;
      }
      claim(name, "was to be ignored");
    }
    if (has_header_ && !options_.columns.empty()) {
      for (const std::string& name : options_.columns) {
        features_.push_back(claim(name, "the predictor learned from"));
      }
      const auto extra = std::find(taken.begin(), taken.end(), false);
      if (extra != taken.end()) {
        refuse_columns(fmt::format("{}: column \"{}\" is none the predictor learned from",
                                   stream_.name(),
                                   names_[static_cast<std::size_t>(extra - taken.begin())]));
      }
    } else {
      for (std::size_t c = 0; c < names_.size(); ++c) {
        if (!taken[c]) {
          features_.push_back(c);
        }
      }
    }
    if (features_.empty()) {
      refuse_columns(fmt::format("{}: no column is left to be a feature", stream_.name()));
    }
    if (options_.width > 0 && static_cast<Index>(features_.size()) != options_.width) {
      refuse_columns(
          fmt::format("{}: line {} has {} columns of features, the predictor learned from {}",
                      stream_.name(), first.line, features_.size(), options_.width));
    }
    // Rows that are learned join the remembered ones, whose columns they share, names and all.
    if (has_header_ && !label_) {
      for (const std::size_t c : features_) {
        feature_names_.push_back(names_[c]);
      }
    } else {
      feature_names_ = options_.columns;
    }
    return has_header_;
  }

  CsvStream stream_;
  InputOptions options_;
  bool started_ = false, has_header_ = false;
  std::vector<CsvStream::Record> pending_;  // read, not yet given
  std::vector<std::string> names_, feature_names_;
  std::vector<std::size_t> features_;  // columns
  std::optional<std::size_t> id_, label_;
  Index row_ = 0;
};

class StoredInput final : public FeatureInput {
 public:
  StoredInput(Dataset dataset, const InputOptions& options, std::string_view name)
      : dataset_(std::move(dataset)), options_(options), name_(name) {
    Samples::Table table = numbered_table(dataset_.table.size(), options.first_id);
    if (!dataset_.table.frames.empty()) {
      table.first = {0};
      for (const Index frames : dataset_.table.frames) {
        table.first.push_back(table.first.back() + frames);
      }
      table.row.resize(at(dataset_.store->rows()));
      std::iota(table.row.begin(), table.row.end(), Index{0});
    }
    samples_ = Samples(dataset_.store, std::move(table), Lifetime::lent).reading(options.source);
    if (options.width > 0 && samples_.width() != options.width) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: rows have {} columns, the predictor learned from {}", name,
                              samples_.width(), options.width));
    }
    const std::vector<std::string> names = samples_.column_names("features");
    for (std::size_t c = 0; c < std::min(names.size(), options.columns.size()); ++c) {
      if (names[c] != options.columns[c]) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: its column {} is \"{}\", where the predictor learned from "
                                "\"{}\"",
                                name, c + 1, names[c], options.columns[c]));
      }
    }
  }

  [[nodiscard]] bool has_ids() const override { return !dataset_.name.empty(); }

  [[nodiscard]] InputRows next(Index most) override {
    InputRows out;
    out.first = row_ + 1;
    const Index count = std::min(samples_per_block(samples_, most), samples_.size() - row_);
    if (count > 0) {
      out.samples = samples_.slice(row_, count);
    }
    for (Index i = row_; i < row_ + count; ++i) {
      const bool labelled = !options_.label_column.empty() && !dataset_.table.label.empty();
      out.id.push_back(dataset_.table.id[at(i)]);
      out.label.push_back(labelled ? dataset_.table.label[at(i)] : "");
    }
    if (count > 0 && !options_.missing) {
      expect_finite_rows(out);
    }
    row_ += count;
    return out;
  }

 private:
  void expect_finite_rows(const InputRows& block) const {
    const Matrix rows = block.samples.rows();
    if (all_finite(rows)) {
      return;
    }
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index c = 0; c < rows.cols(); ++c) {
        if (!std::isfinite(rows(i, c))) {
          throw Error(ErrorKind::data,
                      fmt::format("{}: row {}, column {}: {} is not a finite number", name_,
                                  block.first + i, c + 1, rows(i, c)));
        }
      }
    }
  }

  Dataset dataset_;
  InputOptions options_;
  std::string name_;
  Samples samples_;
  Index row_ = 0;
};

}  // namespace

std::unique_ptr<FeatureInput> csv_input(int file, std::string name, InputOptions options) {
  return std::make_unique<CsvInput>(CsvStream(file, std::move(name)), std::move(options));
}

std::unique_ptr<FeatureInput> open_input(const std::string& what, const Catalog& catalog,
                                         const InputOptions& options) {
  namespace fs = std::filesystem;
  const fs::path path(what);
  if (path.extension() == ".npy") {
    Dataset rows;
    rows.store = open_npy(path, options.source);
    for (Index i = 0; i < rows.store->rows(); ++i) {
      rows.table.id.push_back(fmt::format("{}", i + 1));
    }
    return std::make_unique<StoredInput>(std::move(rows), options, what);
  }
  if (path.extension() != ".yaml" && (fs::is_regular_file(path) || is_table(path))) {
    const auto file = std::make_shared<PieceReader>(path);
    auto input = std::make_unique<CsvInput>(
        CsvStream([file](char* to, std::size_t most) { return file->read(to, most); }, what),
        options);
    input->start();
    return input;
  }
  return std::make_unique<StoredInput>(catalog.load(what), options, what);
}

}  // namespace tyto
