// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/releases/release_list.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/data/split_word.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

namespace {

constexpr Index kUnknownTime = -1;
constexpr double kLongestVideo = 1e9;  // seconds

class ListReader {
 public:
  ListReader(const ListColumns& columns, std::span<const ListSplit> splits)
      : columns_(columns), splits_(splits) {}

  void add(const CsvTable& csv) {
    if (csv.rows() == 0) {
      throw Error(ErrorKind::data, fmt::format("{}: the list has no rows", csv.name()));
    }
    const Index id = csv.column(columns_.id);
    const Index split = csv.column(columns_.split);
    const std::vector<Index> starts = times(csv, columns_.start);
    const std::vector<Index> ends = times(csv, columns_.end);
    const std::size_t before = rows_.size();
    for (Index row = 0; row < csv.rows(); ++row) {
      ListedRow& read = rows_.emplace_back();
      read.key = {std::string(csv.text(row, id)), starts[at(row)], ends[at(row)]};
      if (read.key.video.empty()) {
        throw Error(ErrorKind::data, fmt::format("{}: the id is empty", csv.place(row, id)));
      }
      expect_span(csv, row, read.key);
      read.split = split_of(csv, row, split);
    }
    read_labels(csv, before);
  }

  std::vector<ListedRow> take() { return std::move(rows_); }

 private:
  struct Place {
    const CsvTable* csv;
    Index row;
    std::string label;
  };

  static std::vector<Index> times(const CsvTable& csv, const std::string& name) {
    if (name.empty()) {
      return std::vector<Index>(at(csv.rows()), kUnknownTime);
    }
    const Index column = csv.column(name);
    std::vector<Index> out;
    out.reserve(at(csv.rows()));
    for (const double value : csv.numbers(column)) {
      const auto row = static_cast<Index>(out.size());
      if (!(value >= kUnknownTime && value <= kLongestVideo) || value != std::floor(value)) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: \"{}\" is not a whole number of seconds, nor -1 for unknown",
                                csv.place(row, column), csv.text(row, column)));
      }
      out.push_back(static_cast<Index>(value));
    }
    return out;
  }

  static void expect_span(const CsvTable& csv, Index row, const ClipKey& key) {
    const bool is_unknown = key.start == kUnknownTime && key.end == kUnknownTime;
    if (!is_unknown && (key.start == kUnknownTime || key.end <= key.start)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}: a clip from second {} to {} is none; both are -1, or "
                              "the end lies behind the start",
                              csv.name(), csv.line(row), key.start, key.end));
    }
  }

  [[nodiscard]] std::size_t split_of(const CsvTable& csv, Index row, Index column) const {
    const std::string_view word = csv.text(row, column);
    const std::string_view canonical = canonical_split(word);
    const auto called = [&](std::string_view name) {
      return std::find_if(splits_.begin(), splits_.end(),
                          [&](const ListSplit& split) { return split.listed == name; });
    };
    auto found = called(word);
    if (found == splits_.end() && !canonical.empty()) {
      found = called(canonical);
    }
    if (found == splits_.end()) {
      throw Error(ErrorKind::data, fmt::format("{}: the split \"{}\" is not one of {}",
                                               csv.place(row, column), word, split_words()));
    }
    return static_cast<std::size_t>(found - splits_.begin());
  }

  [[nodiscard]] std::string split_words() const {
    std::string words;
    for (const ListSplit& split : splits_) {
      words += fmt::format("{}{}{}", words.empty() ? "" : ", ", split.listed,
                           split.listed == "validate" ? " (or val)" : "");
    }
    return words;
  }

  void read_labels(const CsvTable& csv, std::size_t first) {
    const std::optional<Index> column = csv.find(columns_.label);
    const bool may_lack =
        std::all_of(rows_.begin() + static_cast<std::ptrdiff_t>(first), rows_.end(),
                    [&](const ListedRow& row) { return splits_[row.split].is_unused(); });
    if (!column && may_lack) {
      return;
    }
    const Index labels = column ? *column : csv.column(columns_.label);  // throws
    for (Index row = 0; row < csv.rows(); ++row) {
      ListedRow& read = rows_[first + at(row)];
      read.label = csv.text(row, labels);
      if (!read.label.empty()) {
        expect_name(csv, row, labels, read.label);
        expect_one_label(csv, row, labels, read);
      }
    }
  }

  void expect_name(const CsvTable& csv, Index row, Index column, const std::string& label) {
    try {
      names_.add_known(label);  // knows which names are reserved
    } catch (const Error& problem) {
      throw Error(ErrorKind::data, fmt::format("{}: {}", csv.place(row, column), problem.what()));
    }
  }

  void expect_one_label(const CsvTable& csv, Index row, Index column, const ListedRow& read) {
    const auto [first, is_new] = first_.try_emplace(read.key.text(), Place{&csv, row, read.label});
    const Place& place = first->second;
    if (!is_new && place.label != read.label) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the clip \"{}\" is \"{}\" here and \"{}\" in {}, line {}; in "
                              "one release it has one label",
                              csv.place(row, column), first->first, read.label, place.label,
                              place.csv->name(), place.csv->line(place.row)));
    }
  }

  const ListColumns& columns_;
  std::span<const ListSplit> splits_;
  std::vector<ListedRow> rows_;
  LabelSpace names_;
  std::unordered_map<std::string, Place> first_;
};

// The number of six or more digits behind the last "_" of `text`, which is cut off there.
std::optional<Index> cut_time(std::string_view& text) {
  const auto mark = text.rfind('_');
  if (mark == text.npos || text.size() - mark - 1 < 6) {
    return {};
  }
  const std::string_view digits = text.substr(mark + 1);
  Index value = 0;
  const auto [end, problem] = std::from_chars(digits.begin(), digits.end(), value);
  if (problem != std::errc() || end != digits.end() || value < 0) {
    return {};
  }
  text = text.substr(0, mark);
  return value;
}

}  // namespace

std::vector<ListSplit> standard_splits() {
  return {{"train", "train"}, {"validate", "validate"}, {"test", "test"}};
}

std::string ClipKey::text() const {
  return is_timed() ? fmt::format("{}_{:06d}_{:06d}", video, start, end) : video;
}

ClipKey ClipKey::parse(std::string_view text) {
  std::string_view left = text;
  const auto end = cut_time(left);
  const auto start = end ? cut_time(left) : std::nullopt;
  if (!start || left.empty()) {
    return {std::string(text), kUnknownTime, kUnknownTime};
  }
  return {std::string(left), *start, *end};
}

std::vector<ListedRow> read_lists(std::span<const CsvTable> files, const ListColumns& columns,
                                  std::span<const ListSplit> splits) {
  ListReader reader(columns, splits);
  for (const CsvTable& csv : files) {
    reader.add(csv);
  }
  return reader.take();
}

std::vector<LostClip> read_blacklist(std::string_view text, std::string_view name,
                                     bool have_times) {
  std::vector<LostClip> lost;
  for (Index line = 1; !text.empty(); ++line) {
    const auto length = std::min(text.find('\n'), text.size());
    std::string_view word = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (word.ends_with('\r')) {
      word.remove_suffix(1);
    }
    if (word.empty()) {
      continue;
    }
    if (!have_times) {
      lost.push_back({{std::string(word), kUnknownTime, kUnknownTime}, line});
      continue;
    }
    ClipKey key = ClipKey::parse(word);
    if (!key.is_timed()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}: \"{}\" is not {{id}}_{{start}}_{{end}} with times of "
                              "six digits, as in abcdefghijk_000010_000020",
                              name, line, word));
    }
    lost.push_back({std::move(key), line});
  }
  return lost;
}

}  // namespace tyto
