// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/intervals/paired.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

std::string name_of(const Truth& truth, SampleId id) {
  const auto at = static_cast<std::size_t>(id);
  return at < truth.name.size() ? truth.name[at] : std::to_string(at);
}

bool same_place(const PhaseView& a, const PhaseView& b) {
  return a.key.step == b.key.step && a.key.phase == b.key.phase && a.key.split == b.key.split &&
         a.novel_to == b.novel_to;
}

std::string place_text(const PhaseKey& key) {
  return fmt::format("increment {}, phase {}, split {}", key.step, key.phase, key.split);
}

// The step of the other side, or none.
const PhaseView* partner(const std::vector<PhaseSeries>& series, const PhaseView& step) {
  for (const PhaseSeries& one : series) {
    for (const PhaseView& candidate : one.steps) {
      if (same_place(candidate, step)) {
        return &candidate;
      }
    }
  }
  return nullptr;
}

struct Matched {
  std::vector<Index> first, second, row_of;  // rows kept; for each of first, its place in second
};

Matched match(const PhaseView& a, const Truth& truth_a, const PhaseView& b, const Truth& truth_b) {
  std::unordered_map<std::string, Index> rows;
  for (Index i = 0; i < b.size(); ++i) {
    rows.emplace(name_of(truth_b, b.sample[static_cast<std::size_t>(i)]), i);
  }
  Matched matched;
  std::vector<Index> partner_row;
  for (Index i = 0; i < a.size(); ++i) {
    const std::string name = name_of(truth_a, a.sample[static_cast<std::size_t>(i)]);
    const auto found = rows.find(name);
    if (found == rows.end()) {
      continue;
    }
    if (a.actual_name(i) != b.actual_name(found->second)) {
      throw Error(
          ErrorKind::data,
          fmt::format("{}: sample {} is of class \"{}\" in the first and \"{}\" in the "
                      "second",
                      place_text(a.key), name, a.actual_name(i), b.actual_name(found->second)));
    }
    matched.first.push_back(i);
    partner_row.push_back(found->second);
  }
  matched.second = partner_row;
  std::sort(matched.second.begin(), matched.second.end());
  for (const Index row : partner_row) {
    matched.row_of.push_back(std::lower_bound(matched.second.begin(), matched.second.end(), row) -
                             matched.second.begin());
  }
  return matched;
}

double or_nan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

void add_interval(PairedRow& row, const std::vector<double>& drawn, double level) {
  row.interval = percentile_interval(drawn, level);
  if (!row.interval.low) {
    return;
  }
  Index below = 0;
  Index above = 0;
  Index defined = 0;
  for (const double value : drawn) {
    below += value < 0.0 ? 1 : 0;
    above += value > 0.0 ? 1 : 0;
    defined += std::isnan(value) ? 0 : 1;
  }
  const auto all = static_cast<double>(defined);
  row.below = static_cast<double>(below) / all;
  row.above = static_cast<double>(above) / all;
  const auto rarer = static_cast<double>(defined - std::max(below, above));
  row.p = std::min(1.0, 2.0 * (1.0 + rarer) / (1.0 + all));
}

PairedRow make_pair_row(const MeasureRow& a, const MeasureRow& b) {
  PairedRow row;
  row.first = a;
  row.second = b.value;
  if (a.value && b.value) {
    row.difference = *b.value - *a.value;
  }
  return row;
}

}  // namespace

std::vector<PairedSeries> pair_series(const RunRecord& first, const RunRecord& second,
                                      const TableOptions& options, bool common) {
  const Truth& truth_a = truth_of(first);
  const Truth& truth_b = truth_of(second);
  const std::vector<PhaseSeries> all_a = view_series(first, options);
  const std::vector<PhaseSeries> all_b = view_series(second, options);
  const auto refuse = [&](const PhaseKey& key, std::string_view what) {
    if (!common) {
      throw DifferentSamples(fmt::format("{}: {}", place_text(key), what));
    }
  };
  std::vector<PairedSeries> pairs;
  for (const PhaseSeries& a : all_a) {
    PairedSeries pair;
    for (std::size_t s = 0; s < a.steps.size(); ++s) {
      const PhaseView& step = a.steps[s];
      const PhaseView* other = partner(all_b, step);
      if (other == nullptr) {
        refuse(step.key, "only the first has it");
        continue;
      }
      const Matched matched = match(step, truth_a, *other, truth_b);
      if (matched.first.size() != step.sample.size() ||
          matched.first.size() != other->sample.size()) {
        refuse(step.key,
               fmt::format("the samples differ: {} in the first, {} in the second, {} shared",
                           step.size(), other->size(), matched.first.size()));
      }
      if (matched.first.empty()) {
        continue;
      }
      pair.first.steps.push_back(step.pick(matched.first));
      pair.second.steps.push_back(other->pick(matched.second));
      pair.first.place.push_back(a.place[s]);
      pair.second.place.push_back(a.place[s]);
      pair.row_of.push_back(matched.row_of);
    }
    if (!pair.first.steps.empty()) {
      pairs.push_back(std::move(pair));
    }
  }
  for (const PhaseSeries& b : all_b) {
    for (const PhaseView& step : b.steps) {
      if (partner(all_a, step) == nullptr) {
        refuse(step.key, "only the second has it");
      }
    }
  }
  if (pairs.empty()) {
    throw Error(ErrorKind::data,
                "the two share no sample in any phase; samples are matched by "
                "name within increment, phase and split");
  }
  return pairs;
}

std::vector<PairedSeries> by_group(const std::vector<PairedSeries>& pairs, const Groups& groups) {
  std::vector<PairedSeries> parted;
  for (const PairedSeries& whole : pairs) {
    for (std::size_t g = 0; g < groups.names.size(); ++g) {
      PairedSeries part;
      part.first.group = part.second.group = groups.names[g];
      for (std::size_t s = 0; s < whole.first.steps.size(); ++s) {
        const PhaseView& step = whole.first.steps[s];
        std::vector<Index> rows;
        std::vector<Index> others;
        for (Index i = 0; i < step.size(); ++i) {
          const auto id = static_cast<std::size_t>(step.sample[static_cast<std::size_t>(i)]);
          if (groups.of[id] == static_cast<std::int32_t>(g)) {
            rows.push_back(i);
            others.push_back(whole.row_of[s][static_cast<std::size_t>(i)]);
          }
        }
        if (rows.empty()) {
          continue;
        }
        std::vector<Index> in_order = others;
        std::sort(in_order.begin(), in_order.end());
        for (Index& other : others) {
          other = std::lower_bound(in_order.begin(), in_order.end(), other) - in_order.begin();
        }
        part.first.steps.push_back(step.pick(rows));
        part.second.steps.push_back(whole.second.steps[s].pick(in_order));
        part.first.place.push_back(whole.first.place[s]);
        part.second.place.push_back(whole.first.place[s]);
        part.row_of.push_back(std::move(others));
      }
      if (!part.first.steps.empty()) {
        parted.push_back(std::move(part));
      }
    }
  }
  return parted;
}

std::vector<std::vector<std::vector<double>>> paired_draws(const PairedSeries& pair,
                                                           Columns columns,
                                                           const BootstrapOptions& options,
                                                           Progress& progress) {
  const Resampler resampler(pair.first.steps, options);
  const std::size_t lines = pair.first.steps.size() + 1;
  std::vector<std::vector<std::vector<double>>> drawn(
      lines,
      std::vector<std::vector<double>>(
          columns.size(), std::vector<double>(static_cast<std::size_t>(options.replicates))));
  for_each_replicate(options.replicates, progress, [&](Index replicate) {
    const auto rows = resampler.draw(replicate);
    std::vector<PhaseView> first;
    std::vector<PhaseView> second;
    for (std::size_t s = 0; s < rows.size(); ++s) {
      std::vector<Index> other;
      other.reserve(rows[s].size());
      for (const Index row : rows[s]) {
        other.push_back(pair.row_of[s][static_cast<std::size_t>(row)]);
      }
      first.push_back(pair.first.steps[s].pick(rows[s]));
      second.push_back(pair.second.steps[s].pick(other));
    }
    const auto a = values_by_step(first, columns);
    const auto b = values_by_step(second, columns);
    for (std::size_t line = 0; line < lines; ++line) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        drawn[line][c][static_cast<std::size_t>(replicate)] =
            or_nan(b[line][c]) - or_nan(a[line][c]);
      }
    }
  });
  return drawn;
}

std::vector<PairedRow> measure_differences(const std::vector<PairedSeries>& pairs, Columns columns,
                                           const BootstrapOptions* bootstrap, Progress& progress) {
  const std::vector<MeasureColumn> measured = without_order(columns);
  std::vector<PairedRow> rows;
  for (const PairedSeries& pair : pairs) {
    // Rows come by increment and column, then over all by column.
    const auto a = measure_series({pair.first}, columns, nullptr, progress);
    const auto b = measure_series({pair.second}, columns, nullptr, progress);
    std::vector<std::vector<std::vector<double>>> drawn;
    if (bootstrap != nullptr) {
      drawn = paired_draws(pair, measured, *bootstrap, progress);
    }
    std::size_t m = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      PairedRow& row = rows.emplace_back(make_pair_row(a[i], b[i]));
      const std::size_t c = i % columns.size();
      m = c == 0 ? 0 : m;
      if (!columns[c].spec->needs_order) {
        if (bootstrap != nullptr && row.difference) {
          add_interval(row, drawn[i / columns.size()][m], bootstrap->level);
        }
        ++m;
      }
    }
  }
  return rows;
}

LongTable long_table(std::span<const PairedRow> rows, MoreColumns more) {
  LongTable table;
  table.columns = {"step", "phase", "split"};
  if (more.groups) {
    table.columns.insert(table.columns.end(), {"group", "samples"});
  }
  table.columns.insert(table.columns.end(),
                       {"novel_to", "view", "measure", "first", "second", "difference"});
  if (more.intervals) {
    table.columns.insert(table.columns.end(), {"low", "high", "below", "above", "p"});
  }
  for (const PairedRow& row : rows) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells = {step_cell(row.first.step), row.first.phase, row.first.split};
    if (more.groups) {
      cells.insert(cells.end(), {row.first.group, row.first.samples});
    }
    cells.insert(cells.end(), {row.first.novel_to, row.first.view, row.first.measure,
                               cell(row.first.value), cell(row.second), cell(row.difference)});
    if (more.intervals) {
      cells.insert(cells.end(), {cell(row.interval.low), cell(row.interval.high), cell(row.below),
                                 cell(row.above), cell(row.p)});
    }
  }
  return table;
}

}  // namespace tyto
