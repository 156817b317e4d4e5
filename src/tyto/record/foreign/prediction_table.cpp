// SPDX-License-Identifier: Apache-2.0
#include "tyto/record/foreign/prediction_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr double kSumTolerance = 1e-3;
constexpr Index kMostDiscovered = 1'000'000;
constexpr Index kParallelRows = 10'000;

// "discovered_3" has prefix "discovered_"; the number, or none.
std::optional<Index> number_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) {
    return {};
  }
  Index number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, problem] = std::from_chars(name.data() + prefix.size(), end, number);
  return problem == std::errc() && stop == end && number >= 0 ? std::optional(number)
                                                              : std::nullopt;
}

// Names of novelty: `unknown` and the groups found in it.
bool means_novel(std::string_view name) {
  return name == kUnknownName || number_after("discovered_", name) ||
         number_after("unknown_", name);
}

// Rows by id and phase: open addressing, since a node per row would cost more than the reading.
class SeenRows {
 public:
  explicit SeenRows(Index rows) {
    std::size_t size = 16;
    while (size < 2 * at(rows)) {
      size *= 2;
    }
    slots_.assign(size, kNone);
  }

  // The row that was there before, if any; `same(row)` compares.
  template <class Same>
  std::optional<Index> add(std::size_t hash, Index row, const Same& same) {
    for (std::size_t slot = hash & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] == kNone) {
        slots_[slot] = static_cast<std::uint32_t>(row);
        return {};
      }
      if (same(static_cast<Index>(slots_[slot]))) {
        return static_cast<Index>(slots_[slot]);
      }
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> slots_;
};

// youtube_id, start and end as in the file names of KOWL-718: dQw4w9WgXcQ_000010_000020.
std::string clip_name(const CsvTable& table, const std::vector<Index>& columns, Index row) {
  const auto seconds = [&](Index column) {
    return static_cast<long>(std::lround(table.number(row, column)));
  };
  return fmt::format("{}_{:06d}_{:06d}", table.text(row, columns[0]), seconds(columns[1]),
                     seconds(columns[2]));
}

// The best entries of one row of probabilities.
struct Best {
  std::array<std::int32_t, kTopRanks> column;
  Index count = 0;

  void offer(std::span<const double> values, std::int32_t column_now) {
    const double value = values[static_cast<std::size_t>(column_now)];
    Index place = count;
    while (place > 0 && value > values[static_cast<std::size_t>(column[at(place - 1)])]) {
      --place;  // an equal one before it stays before it
    }
    if (place == kTopRanks) {
      return;
    }
    count = std::min(count + 1, kTopRanks);
    for (Index i = count - 1; i > place; --i) {
      column[at(i)] = column[at(i - 1)];
    }
    column[at(place)] = column_now;
  }
};

void read_row(const CsvTable& table, const FoundColumns& columns, Index row,
              std::vector<double>& values) {
  values.clear();
  double sum = 0.0;
  double smallest = 0.0;
  double largest = 0.0;
  for (const Index column : columns.probability) {
    double value = 0.0;
    try {
      value = table.number(row, column);
    } catch (const Error& problem) {
      throw Error(problem.kind(), fmt::format("{}; the column was taken for probabilities, "
                                              "since it was not said which are",
                                              problem.what()));
    }
    if (!std::isfinite(value)) {
      throw Error(ErrorKind::data, fmt::format("{}: the probability {} is not finite",
                                               table.place(row, column), table.text(row, column)));
    }
    sum += value;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
    values.push_back(value);
  }
  const std::string_view hint = smallest < 0.0 || largest > 1.0 + kSumTolerance
                                    ? "; are these logits? Take their softmax first"
                                    : "; is a column among them that holds something else?";
  if (smallest < 0.0) {
    const auto worst = std::min_element(values.begin(), values.end()) - values.begin();
    throw Error(ErrorKind::data,
                fmt::format("{}: the probability {} is negative{}",
                            table.place(row, columns.probability[at(worst)]),
                            table.text(row, columns.probability[at(worst)]), hint));
  }
  if (std::abs(sum - 1.0) > kSumTolerance) {
    throw Error(
        ErrorKind::data,
        fmt::format("{}: line {}: the {} probabilities, from column \"{}\" on, sum to {:.6g}, not "
                    "to 1 within {}{}",
                    table.name(), table.line(row), values.size(),
                    table.columns()[at(columns.probability.front())], sum, kSumTolerance, hint));
  }
}

// body(row) for all, in parallel where that pays; of several problems the first row's is told.
template <class Body>
void for_each_row(Index rows, const Body& body) {
  if (rows >= kParallelRows) {
    try {
      for_each_index(rows, body);
      return;
    } catch (const Error&) {  // threads race for the first problem: look for it below
    }
  }
  for (Index row = 0; row < rows; ++row) {
    body(row);
  }
}

}  // namespace

TableRecord::TableRecord(const CsvTable& table, const PredictionTableOptions& options) {
  if (table.rows() == 0) {
    throw Error(ErrorKind::data, fmt::format("{}: has no rows below its header", table.name()));
  }
  const FoundColumns columns = find_columns(table, options.columns);
  read_phases(table, columns);
  read_samples(table, columns);
  for (const std::string& name : options.wanted) {
    truth_.annotations.try_emplace(name, table.texts(table.column(name)));
  }
  read_decisions(table, columns);
  set_known(table, columns, options.known);
  if (!columns.probability.empty()) {
    read_probabilities(table, columns);
  }
  read_novelty(table, columns);
}

void TableRecord::read_phases(const CsvTable& table, const FoundColumns& columns) {
  const auto word = [&](Index row, std::optional<Index> column) {
    const std::string_view text = column ? table.text(row, *column) : "";
    return text.empty() ? kUnsaid : text;
  };
  part_of_.assign(at(table.rows()), 0);
  if (!columns.increment && !columns.phase && !columns.split) {
    parts_.push_back({{0, std::string(kUnsaid), std::string(kUnsaid)}, {}, {}});
  } else {
    const auto steps = columns.increment ? table.counts(*columns.increment)
                                         : std::vector<Index>(at(table.rows()), 0);
    std::map<std::tuple<Index, std::string_view, std::string_view>, std::int32_t> places;
    for (Index row = 0; row < table.rows(); ++row) {
      const std::tuple key(steps[at(row)], word(row, columns.phase), word(row, columns.split));
      const auto [found, is_new] =
          places.try_emplace(key, static_cast<std::int32_t>(parts_.size()));
      if (is_new) {
        parts_.push_back(
            {{std::get<0>(key), std::string(std::get<1>(key)), std::string(std::get<2>(key))},
             {},
             {}});
      }
      part_of_[at(row)] = found->second;
    }
  }
  for (Index row = 0; row < table.rows(); ++row) {
    parts_[static_cast<std::size_t>(part_of_[at(row)])].row.push_back(row);
  }
}

void TableRecord::read_samples(const CsvTable& table, const FoundColumns& columns) {
  const Index n = table.rows();
  truth_.name.resize(at(n));
  truth_.label.resize(at(n));
  std::vector<std::size_t> hashes(at(n));
  for_each_row(n, [&](Index row) {
    const std::string_view label = table.text(row, columns.truth);
    if (label.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the actual class is empty", table.place(row, columns.truth)));
    }
    if (table.text(row, columns.id.front()).empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the id is empty", table.place(row, columns.id.front())));
    }
    truth_.label[at(row)] = label;
    truth_.name[at(row)] = columns.id.size() == 1 ? std::string(table.text(row, columns.id[0]))
                                                  : clip_name(table, columns.id, row);
    hashes[at(row)] = std::hash<std::string_view>()(truth_.name[at(row)]) +
                      static_cast<std::size_t>(part_of_[at(row)]) * 0x9E3779B97F4A7C15ULL;
  });
  SeenRows seen(n);
  for (Index row = 0; row < n; ++row) {
    const auto before = seen.add(hashes[at(row)], row, [&](Index other) {
      return part_of_[at(other)] == part_of_[at(row)] &&
             truth_.name[at(other)] == truth_.name[at(row)];
    });
    if (before) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: the id \"{}\" stands already in line {} of the same phase",
                              table.place(row, columns.id.front()), truth_.name[at(row)],
                              table.line(*before)));
    }
  }
}

std::int32_t TableRecord::entry_of(std::string_view name) {
  if (const auto found = space_.find(name)) {
    return static_cast<std::int32_t>(*found);
  }
  if (const auto number = number_after("discovered_", name)) {
    if (*number > kMostDiscovered) {
      throw Error(ErrorKind::data, fmt::format("the decision \"{}\" counts discovered classes "
                                               "beyond {}",
                                               name, kMostDiscovered));
    }
    while (!space_.find(name)) {
      space_.add_discovered();
    }
    return static_cast<std::int32_t>(*space_.find(name));
  }
  return static_cast<std::int32_t>(space_.add_known(name));
}

void TableRecord::read_decisions(const CsvTable& table, const FoundColumns& columns) {
  for (const std::string& name : columns.classes) {
    entry_of(name);
  }
  const Index ranks = columns.probability.empty() ? 1 : kTopRanks;
  top_.setConstant(table.rows(), ranks, -1);
  if (!columns.predicted) {
    return;
  }
  std::unordered_map<std::string_view, std::int32_t> entries;
  for (Index row = 0; row < table.rows(); ++row) {
    const std::string_view name = table.text(row, *columns.predicted);
    const auto [found, is_new] = entries.try_emplace(name, 0);
    if (is_new) {
      if (name.empty()) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: the decision is empty", table.place(row, *columns.predicted)));
      }
      found->second = entry_of(name);
    }
    top_(row, 0) = found->second;
  }
}

void TableRecord::set_known(const CsvTable& table, const FoundColumns& columns,
                            const std::optional<KnownList>& known) {
  if (known) {
    const std::set<std::string_view> labels(truth_.label.begin(), truth_.label.end());
    const bool any = std::any_of(
        known->labels().begin(), known->labels().end(),
        [&](const std::string& name) { return labels.contains(name) || space_.find(name); });
    if (!any) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: none of the {} known classes (\"{}\"{}) occurs in it; was a file "
                      "meant that does not exist?",
                      table.name(), known->labels().size(), known->labels().front(),
                      known->labels().size() > 1 ? ", ..." : ""));
    }
    for (Part& part : parts_) {
      part.known = known->at(part.key.step, part.key.phase);
    }
    notes_.push_back(fmt::format("known classes: the {} listed", known->labels().size()));
    return;
  }
  std::vector<std::string> names;
  for (const std::string& name : space_.known_names()) {
    if (!means_novel(name)) {
      names.push_back(name);
    }
  }
  for (Part& part : parts_) {
    part.known = names;
  }
  notes_.push_back(fmt::format(
      "known classes: the {} that {}, in every increment, since none are listed", names.size(),
      columns.probability.empty() ? "are ever predicted" : "have a column"));
}

void TableRecord::read_probabilities(const CsvTable& table, const FoundColumns& columns) {
  const Index n = table.rows();
  std::vector<std::int32_t> entries;
  std::unordered_map<std::string_view, std::int32_t> column_of;
  for (const std::string& name : columns.classes) {
    column_of.emplace(name, static_cast<std::int32_t>(entries.size()));
    entries.push_back(entry_of(name));
  }
  std::vector<std::vector<std::uint8_t>> is_known;  // by part and column
  for (const Part& part : parts_) {
    const std::set<std::string_view> names(part.known.begin(), part.known.end());
    auto& flags = is_known.emplace_back();
    for (const std::string& name : columns.classes) {
      flags.push_back(name != kUnknownName && names.contains(name) ? 1 : 0);
    }
  }
  const auto unknown = column_of.find(kUnknownName);
  top_probability_.setZero(n, kTopRanks);
  p_true_.assign(at(n), 0.0F);
  p_unknown_.assign(at(n), 0.0F);
  confidence_.assign(at(n), 0.0F);
  novelty_.assign(at(n), 0.0F);
  for_each_row(n, [&](Index row) {
    thread_local std::vector<double> values;
    read_row(table, columns, row, values);
    const auto probability = [&](std::int32_t column) {
      return static_cast<float>(values[static_cast<std::size_t>(column)]);
    };
    Best best;
    double most_known = 0.0;
    const auto& known = is_known[static_cast<std::size_t>(part_of_[at(row)])];
    for (std::size_t j = 0; j < values.size(); ++j) {
      best.offer(values, static_cast<std::int32_t>(j));
      most_known = known[j] != 0 ? std::max(most_known, values[j]) : most_known;
    }
    Index rank = 0;
    if (columns.predicted) {  // the decision that was made, then the others by probability
      const auto decided = column_of.find(space_.name(static_cast<Label>(top_(row, 0))));
      top_probability_(row, 0) = decided == column_of.end() ? 0.0F : probability(decided->second);
      rank = 1;
    }
    for (Index i = 0; i < best.count && rank < kTopRanks; ++i) {
      const std::int32_t entry = entries[static_cast<std::size_t>(best.column[at(i)])];
      if (columns.predicted && entry == top_(row, 0)) {
        continue;
      }
      top_(row, rank) = entry;
      top_probability_(row, rank++) = probability(best.column[at(i)]);
    }
    confidence_[at(row)] = top_probability_(row, 0);
    novelty_[at(row)] = static_cast<float>(1.0 - most_known);
    const auto actual = column_of.find(truth_.label[at(row)]);
    p_true_[at(row)] = actual == column_of.end() ? 0.0F : probability(actual->second);
    p_unknown_[at(row)] = unknown == column_of.end() ? 0.0F : probability(unknown->second);
  });
  notes_.push_back(fmt::format("probabilities: {} columns, \"{}\" to \"{}\"",
                               columns.probability.size(),
                               table.columns()[at(columns.probability.front())],
                               table.columns()[at(columns.probability.back())]));
}

void TableRecord::read_novelty(const CsvTable& table, const FoundColumns& columns) {
  if (columns.predicted) {
    notes_.push_back(
        fmt::format("decisions: column \"{}\"", table.columns()[at(*columns.predicted)]));
  } else {
    notes_.emplace_back("decisions: the most probable class, ties to the first column");
  }
  if (!columns.novelty) {
    notes_.emplace_back(columns.probability.empty()
                            ? "novelty score: none, so nothing is said on ranking"
                            : "novelty score: 1 - the largest probability of a known class");
    return;
  }
  novelty_.resize(at(table.rows()));
  for_each_row(table.rows(), [&](Index row) {
    const double value = table.number(row, *columns.novelty);
    if (std::isnan(value)) {
      throw Error(ErrorKind::data, fmt::format("{}: the novelty score is not a number",
                                               table.place(row, *columns.novelty)));
    }
    novelty_[at(row)] = static_cast<float>(value);
  });
  notes_.push_back(fmt::format("novelty score: column \"{}\", higher is newer",
                               table.columns()[at(*columns.novelty)]));
}

std::vector<PhaseKey> TableRecord::phases() const {
  std::vector<PhaseKey> keys;
  for (const Part& part : parts_) {
    keys.push_back(part.key);
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const PhaseKey& a, const PhaseKey& b) { return a.step < b.step; });
  return keys;
}

Phase TableRecord::phase(const PhaseKey& key) const {
  const auto part = std::find_if(parts_.begin(), parts_.end(),
                                 [&](const Part& candidate) { return candidate.key == key; });
  if (part == parts_.end()) {
    throw Error(ErrorKind::state, fmt::format("the table has no phase {}", key.name()));
  }
  Phase phase;
  phase.key = key;
  phase.space = space_;
  phase.known = phase.shown = part->known;
  const auto take = [&](const std::vector<float>& from, std::vector<float>& to) {
    if (!from.empty()) {
      for (std::size_t i = 0; i < part->row.size(); ++i) {
        to.push_back(from[at(part->row[i])]);
      }
    }
  };
  take(p_true_, phase.p_true);
  take(p_unknown_, phase.p_unknown);
  take(novelty_, phase.novelty);
  take(confidence_, phase.confidence);
  const auto n = static_cast<Index>(part->row.size());
  phase.top.resize(n, top_.cols());
  phase.top_probability.resize(top_probability_.rows() == 0 ? 0 : n, top_probability_.cols());
  for (Index i = 0; i < n; ++i) {
    const Index row = part->row[at(i)];
    phase.sample.push_back(static_cast<SampleId>(row));
    phase.top.row(i) = top_.row(row);
    if (phase.top_probability.rows() > 0) {
      phase.top_probability.row(i) = top_probability_.row(row);
    }
  }
  return phase;
}

}  // namespace tyto
