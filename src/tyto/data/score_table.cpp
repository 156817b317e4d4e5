// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/score_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "tyto/core/csv/csv.hpp"
#include "tyto/core/csv/csv_text.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/sample/stores/npy_store.hpp"

namespace tyto {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '+' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string_view unquoted(std::string_view line) {
  const bool quoted = line.size() > 1 && line.front() == '"' && line.back() == '"';
  return quoted ? line.substr(1, line.size() - 2) : line;
}

std::optional<double> as_number(std::string_view cell) {
  const std::string_view text = trimmed(cell);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = problem == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

// body(line from 1, text) for every line that is not blank.
template <class Body>
void for_each_line(std::string_view text, const Body& body) {
  Index number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++number;
    const std::string_view line = trimmed(text.substr(begin, end - begin));
    if (!line.empty()) {
      body(number, line);
    }
    begin = end + 1;
  }
}

ScoreTable from_npy(const std::string& path) {
  const auto store = open_npy(path);
  const std::vector<Index> shape = store->shape("features");
  std::vector<Index> all(static_cast<std::size_t>(store->rows()));
  std::iota(all.begin(), all.end(), Index{0});
  Matrix values(store->rows(),
                std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>()));
  store->gather("features", all, values);
  return {path, {}, values.cast<double>(), false};
}

ScoreTable from_csv(const std::string& path) {
  const std::string text = read_maybe_gz(path);
  ScoreTable out{path, {}, {}, false};
  std::vector<double> values;
  Index rows = 0;
  std::size_t width = 0;
  bool first = true;
  for_each_line(text, [&](Index number, std::string_view line) {
    if (first) {
      first = false;
      width = 1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
      if (!as_number(line.substr(0, line.find(',')))) {
        const CsvTable names = CsvTable::parse(std::string(line) + "\n", path);
        out.columns = names.columns();
        width = out.columns.size();
        return;
      }
    }
    std::size_t cells = 0;
    for (std::size_t begin = 0; begin <= line.size(); ++cells) {
      const std::size_t end = std::min(line.find(',', begin), line.size());
      const std::string_view cell = line.substr(begin, end - begin);
      const auto value = as_number(cell);
      if (!value) {
        throw Error(ErrorKind::data, fmt::format("{}: line {}, column {} (from 1): \"{}\" is not a "
                                                 "number",
                                                 path, number, cells + 1, cell));
      }
      values.push_back(*value);
      begin = end + 1;
    }
    if (cells != width) {
      throw Error(ErrorKind::data, fmt::format("{}: line {}: {} numbers, but the first line has {}",
                                               path, number, cells, width));
    }
    ++rows;
  });
  out.values = Eigen::Map<Dense<double>>(values.data(), rows, static_cast<Index>(width));
  return out;
}

bool are_probabilities(const Dense<double>& values) {
  constexpr double kRounding = 1e-4;  // a table may give few digits
  const bool between = (values.array() > 0.0 && values.array() < 1.0).any();  // not 0 and 1 alone
  return between && values.minCoeff() >= 0.0 && values.maxCoeff() <= 1.0 &&
         ((values.rowwise().sum().array() - 1.0).abs() < kRounding).all();
}

}  // namespace

ScoreTable read_numbers(const std::string& path) {
  return path.ends_with(".npy") ? from_npy(path) : from_csv(path);
}

ScoreTable read_scores(const std::string& path, std::string_view kind) {
  ScoreTable out = read_numbers(path);
  const bool fit = kind != "logits" && !out.values.hasNaN() && are_probabilities(out.values);
  if (kind == "probabilities" && !fit && out.values.rows() > 0) {
    throw Error(ErrorKind::data,
                fmt::format("{}: these are no probabilities: in [0, 1], adding up to 1 in every "
                            "row",
                            path));
  }
  if (fit) {
    out.probabilities = true;
    out.values = out.values.array().log();
  }
  return out;
}

std::vector<std::pair<Index, std::string>> read_words(const std::string& path) {
  std::vector<std::pair<Index, std::string>> out;
  for_each_line(read_maybe_gz(path), [&](Index number, std::string_view line) {
    out.emplace_back(number, unquoted(line));
  });
  return out;
}

std::vector<Index> read_labels(const std::string& path, const ScoreTable& scores) {
  std::map<std::string, Index, std::less<>> names;
  for (std::size_t k = 0; k < scores.columns.size(); ++k) {
    names.emplace(scores.columns[k], static_cast<Index>(k));
  }
  std::vector<Index> out;
  for (const auto& [number, label] : read_words(path)) {
    if (const auto named = names.find(label); named != names.end()) {
      out.push_back(named->second);
      continue;
    }
    const auto value = as_number(label);
    const bool is_column = value && *value == std::floor(*value) && *value >= 0.0 &&
                           *value < static_cast<double>(scores.values.cols());
    if (is_column) {
      out.push_back(static_cast<Index>(*value));
    } else if (value || number > 1) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: line {}: \"{}\" is no column of {}, which are 0 to {}{}", path,
                              number, label, scores.name, scores.values.cols() - 1,
                              names.empty() ? "" : " or their names"));
    }
  }
  return out;
}

std::vector<Index> read_truth(const std::string& path, const ScoreTable& scores) {
  std::vector<Index> out = read_labels(path, scores);
  if (std::ssize(out) != scores.values.rows()) {
    throw Error(ErrorKind::data, fmt::format("{}: {} labels for the {} rows of {}", path,
                                             out.size(), scores.values.rows(), scores.name));
  }
  return out;
}

std::string numbers_csv(const Dense<double>& values, const std::vector<std::string>& columns) {
  std::string text;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    text += k == 0 ? "" : ",";
    append_csv_field(text, columns[k]);
  }
  text += columns.empty() ? "" : "\n";
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) {
      fmt::format_to(std::back_inserter(text), "{}{}", j == 0 ? "" : ",", values(i, j));
    }
    text += '\n';
  }
  return text;
}

}  // namespace tyto
