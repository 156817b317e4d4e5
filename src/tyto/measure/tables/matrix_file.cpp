// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/tables/matrix_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"

namespace tyto {

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct TextLine {
  Index number = 0;  // of the file, from 1
  std::vector<std::string> cells;
};

std::string_view stripped(std::string_view text) {
  constexpr std::string_view kAround = " \t\r\"'";
  const auto begin = text.find_first_not_of(kAround);
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(kAround) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

bool is_missing(std::string_view cell) {
  const std::string word = lower(cell);
  return word.empty() || word == "-" || word == "nan" || word == "na" || word == "null";
}

bool is_word(std::string_view cell) {
  return !is_missing(cell) && !number_in<double>(cell);
}

bool is_count(std::string_view cell) {  // the name of a line or column of counts
  return lower(cell) == "classes" || lower(cell) == "samples";
}

// Blank lines and those that begin with # are passed over.
std::vector<TextLine> lines_of(std::string_view text) {
  char separator = ' ';
  for (const char one : {'\t', ';', ','}) {  // the last one found
    separator = text.find(one) == text.npos ? separator : one;
  }
  std::vector<TextLine> lines;
  Index number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (stripped(line).empty() || stripped(line).starts_with('#')) {
      continue;
    }
    TextLine& out = lines.emplace_back();
    out.number = number;
    if (separator == ' ') {
      line = stripped(line);
    }
    while (true) {
      const auto stop = std::min(line.find(separator), line.size());
      if (separator != ' ' || stop > 0) {
        out.cells.emplace_back(stripped(line.substr(0, stop)));
      }
      if (stop == line.size()) {
        break;
      }
      line.remove_prefix(stop + 1);
    }
    while (!out.cells.empty() && is_missing(out.cells.back())) {
      out.cells.pop_back();
    }
  }
  return lines;
}

// 1, 2, 3 or 0, 1, 2: numbers of tasks.
bool counts_up(const std::vector<std::string>& cells, std::size_t from) {
  if (cells.size() < from + 2) {
    return false;
  }
  const auto first = number_in<Index>(cells[from]);
  for (std::size_t i = from; i < cells.size(); ++i) {
    const auto number = number_in<Index>(cells[i]);
    if (!number || !first || *first > 1 || *first < 0 ||
        *number != *first + static_cast<Index>(i - from)) {
      return false;
    }
  }
  return true;
}

class MatrixReader {
 public:
  MatrixReader(std::string_view text, std::string name)
      : name_(std::move(name)), lines_(lines_of(text)) {
    take_header();
    take_counts();
    if (lines_.empty()) {
      throw Error(ErrorKind::data, fmt::format("{}: holds no accuracies", name_));
    }
    for (const TextLine& line : lines_) {
      has_labels_ = has_labels_ || (!line.cells.empty() && is_word(line.cells.front()));
    }
    // A word among the numbers is a bad cell, not a name: names stand in every line.
    has_labels_ =
        has_labels_ &&
        (!header_.empty() || std::all_of(lines_.begin(), lines_.end(), [](const TextLine& line) {
          return !line.cells.empty() && is_word(line.cells[0]);
        }));
  }

  [[nodiscard]] Index rows() const { return std::ssize(lines_); }

  // Values by line; counts that stand in columns are put aside.
  std::vector<std::vector<double>> values() {
    std::vector<std::vector<double>> all;
    for (const TextLine& line : lines_) {
      std::vector<double>& row = all.emplace_back();
      for (std::size_t c = has_labels_ ? 1 : 0; c < line.cells.size(); ++c) {
        if (c < header_.size() && is_count(header_[c])) {
          counts_of(header_[c]).push_back(count_in(line, c));
        } else {
          row.push_back(value_in(line, c));
        }
      }
      while (!row.empty() && std::isnan(row.back())) {
        row.pop_back();
      }
    }
    return all;
  }

  [[nodiscard]] std::string place(Index row) const {
    return fmt::format("{}: line {}", name_, lines_[static_cast<std::size_t>(row)].number);
  }

  [[nodiscard]] const std::string& name() const { return name_; }

  std::vector<Index> classes, samples;

 private:
  void take_header() {
    if (lines_.empty()) {
      return;
    }
    const std::vector<std::string>& cells = lines_.front().cells;
    if (cells.empty() || is_count(cells.front())) {
      return;
    }
    const auto after = std::next(cells.begin());
    const Index tasks = std::count_if(lines_.begin(), lines_.end(),
                                      [](const TextLine& line) {
                                        return line.cells.empty() || !is_count(line.cells.front());
                                      }) -
                        1;  // where the first line is no task
    const auto numbers_tasks = [&](std::size_t from) {
      return counts_up(cells, from) && std::ssize(cells) - static_cast<Index>(from) == tasks;
    };
    const bool is_named = std::count_if(after, cells.end(), is_word) * 2 > cells.end() - after;
    const bool is_above = is_word(cells.front()) && lines_.size() > 1 && !lines_[1].cells.empty() &&
                          !is_word(lines_[1].cells.front());
    if (is_named || is_above || numbers_tasks(0) || numbers_tasks(1)) {
      const std::string first = lower(cells.front());
      header_ = cells;
      has_labels_ = is_missing(first) || first == "after" || first == "step" || first == "task" ||
                    first == "row" || first == "after task";
      lines_.erase(lines_.begin());
    }
  }

  void take_counts() {
    std::erase_if(lines_, [&](const TextLine& line) {
      if (line.cells.empty() || !is_count(line.cells.front())) {
        return false;
      }
      for (std::size_t c = 1; c < line.cells.size(); ++c) {
        counts_of(line.cells.front()).push_back(count_in(line, c));
      }
      return true;
    });
  }

  std::vector<Index>& counts_of(std::string_view word) {
    return lower(word) == "classes" ? classes : samples;
  }

  [[nodiscard]] Index count_in(const TextLine& line, std::size_t cell) const {
    const auto number = number_in<Index>(line.cells[cell]);
    if (!number || *number < 1) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}, column {}: \"{}\" is no number of classes or samples; "
                              "a whole number from 1 on is needed",
                              name_, line.number, cell + 1, line.cells[cell]));
    }
    return *number;
  }

  [[nodiscard]] double value_in(const TextLine& line, std::size_t cell) const {
    const std::string& text = line.cells[cell];
    if (is_missing(text)) {
      return kMissing;
    }
    const auto number = number_in<double>(text);
    if (!number || !(*number >= 0.0 && *number <= 100.0)) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}, column {}: \"{}\" is no accuracy; a share in [0, 1] or "
                              "a percentage in [0, 100] is needed, or nothing where it was not "
                              "tested",
                              name_, line.number, cell + 1, text));
    }
    return *number;
  }

  std::string name_;
  std::vector<TextLine> lines_;
  std::vector<std::string> header_;  // empty: there is none
  bool has_labels_ = false;          // in the first column
};

void check_counts(const std::vector<Index>& counts, std::size_t tasks, std::string_view what,
                  const std::string& name) {
  if (!counts.empty() && counts.size() != tasks) {
    throw Error(ErrorKind::data, fmt::format("{}: {} tasks, but {} numbers of {}", name, tasks,
                                             counts.size(), what));
  }
}

// Of the tasks seen so far together, where all of them were tested.
double together(const TaskMatrix& matrix, Index row, const std::vector<Index>& weights) {
  double sum = 0;
  double all = 0;
  for (Index j = 0; j <= row; ++j) {
    const auto weight = static_cast<double>(weights[static_cast<std::size_t>(j)]);
    sum += weight * matrix.accuracy(row, j);  // NaN stays NaN
    all += weight;
  }
  return sum / all;
}

void fill(TaskMatrix& matrix, const std::vector<std::vector<double>>& rows) {
  const auto size = static_cast<Index>(rows.size());
  matrix.accuracy = Dense<double>::Constant(size, size, kMissing);
  for (Index i = 0; i < size; ++i) {
    const std::vector<double>& row = rows[static_cast<std::size_t>(i)];
    matrix.number.push_back(i + 1);
    matrix.step.push_back(row.empty() ? -1 : i);
    matrix.tested.push_back(0);
    for (std::size_t j = 0; j < row.size() && static_cast<Index>(j) <= i + 1; ++j) {
      matrix.accuracy(i, static_cast<Index>(j)) = row[j];
    }
  }
}

}  // namespace

MatrixFile parse_task_matrix(std::string_view text, const std::string& name,
                             const MatrixFileOptions& options) {
  MatrixReader reader(text, name);
  const std::vector<std::vector<double>> rows = reader.values();
  const std::size_t tasks = rows.size();
  std::size_t widest = 0;
  double highest = 0;
  for (std::size_t i = 0; i < tasks; ++i) {
    if (rows[i].size() > tasks) {
      throw Error(ErrorKind::data,
                  fmt::format("{} has {} accuracies, but there are {} rows: a row is the moment "
                              "after a task, a column is a task, so there are as many of both",
                              reader.place(static_cast<Index>(i)), rows[i].size(), tasks));
    }
    widest = std::max(widest, rows[i].size());
    for (const double value : rows[i]) {
      highest = std::isnan(value) ? highest : std::max(highest, value);
    }
  }
  if (tasks < 2 || widest < tasks) {
    throw Error(
        ErrorKind::data,
        fmt::format("{}: {} rows with up to {} accuracies; a matrix of two tasks or more is "
                    "needed, a row after each task and a column for each",
                    name, tasks, widest));
  }
  MatrixFile file;
  fill(file.matrix, rows);
  file.percent = options.percent || highest > 1.0;
  if (file.percent && !options.percent) {
    file.notes.push_back(
        fmt::format("{}: there are values above 1, so all are taken for percent", name));
  }
  TaskMatrix& matrix = file.matrix;
  matrix.classes = options.classes.empty() ? reader.classes : options.classes;
  matrix.samples = options.samples.empty() ? reader.samples : options.samples;
  check_counts(matrix.classes, tasks, "classes", name);
  check_counts(matrix.samples, tasks, "samples", name);
  const bool has_samples = !matrix.samples.empty();
  const bool has_classes = !matrix.classes.empty();
  if (!has_classes) {
    matrix.classes.assign(tasks, 1);
    file.notes.emplace_back("no numbers of classes: all tasks are taken for equally large");
  }
  if (!has_samples) {
    file.notes.push_back(fmt::format("no numbers of test samples: overall accuracy counts tasks {}",
                                     has_classes ? "by their classes" : "alike"));
  }
  const std::vector<Index> weights = has_samples ? matrix.samples : matrix.classes;
  matrix.samples.resize(tasks, 0);
  Index holes = 0;
  for (Index i = 0; i < matrix.size(); ++i) {
    matrix.overall.push_back(together(matrix, i, weights));
    for (Index j = 0; j <= i; ++j) {
      holes += std::isnan(matrix.accuracy(i, j)) ? 1 : 0;
    }
  }
  if (holes > 0) {
    file.notes.push_back(
        fmt::format("{} entries on or below the diagonal are missing: means leave "
                    "them out",
                    holes));
  }
  return file;
}

std::vector<double> parse_task_values(std::string_view text, const std::string& name,
                                      const MatrixFile& of) {
  MatrixReader reader(text, name);
  const std::vector<std::vector<double>> rows = reader.values();
  const auto tasks = static_cast<std::size_t>(of.matrix.size());
  std::vector<double> values;
  const bool is_column =
      std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.size() == 1; });
  if (rows.size() == 1 && rows.front().size() == 1) {
    values.assign(tasks, rows.front().front());
  } else if (rows.size() == 1) {
    values = rows.front();
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t at = is_column ? 0 : i;
      values.push_back(at < rows[i].size() ? rows[i][at] : kMissing);
    }
  }
  if (values.size() != tasks) {
    throw Error(ErrorKind::data,
                fmt::format("{}: {} values for {} tasks; one for each is needed, or one for all",
                            name, values.size(), tasks));
  }
  for (const double value : values) {
    if (!of.percent && value > 1.0) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: {} is above 1, but the matrix is in shares", name, value));
    }
  }
  return values;
}

}  // namespace tyto
