// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/table.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"

namespace tyto {

namespace {

struct Mean {
  double sum = 0.0;
  Index count = 0;

  [[nodiscard]] std::optional<double> value() const {
    return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
  }
};

using Column = std::pair<const MeasureSpec*, View>;

// What one pair of phase and split comes to over the increments.
struct Total {
  PhaseView counts;
  std::vector<Mean> means;  // by column
};

MeasureRow make_row(const PhaseView& view, const Column& column, std::optional<double> value) {
  return {.step = view.key.step,
          .phase = view.key.phase,
          .split = view.key.split,
          .view = std::string(view_name(column.second)),
          .measure = column.first->name,
          .novel_to = std::string(novel_to_name(view.novel_to)),
          .value = value};
}

std::vector<Column> columns_of(const std::vector<std::string>& names) {
  std::vector<Column> columns;
  const auto append = [&](const MeasureSpec& spec) {
    for (const View view : spec.views) {
      columns.emplace_back(&spec, view);
    }
  };
  for (const std::string& name : names) {
    append(find_measure(name));
  }
  if (names.empty()) {
    for (const MeasureSpec& spec : measure_specs()) {
      append(spec);
    }
  }
  return columns;
}

}  // namespace

std::vector<std::vector<PhaseKey>> by_increment(const std::vector<PhaseKey>& keys) {
  std::vector<std::vector<PhaseKey>> groups;
  std::map<std::tuple<Index, std::string, std::string>, std::size_t> places;
  for (const PhaseKey& key : keys) {
    const auto [found, is_new] =
        places.try_emplace({key.step, key.phase, key.split}, groups.size());
    if (is_new) {
      groups.emplace_back();
    }
    groups[found->second].push_back(key);
  }
  return groups;
}

std::vector<PhaseView> view_batches(const RunRecord& record, const std::vector<PhaseKey>& batches,
                                    const Truth& truth, const std::vector<NovelTo>& novel_to) {
  std::vector<PhaseView> views;
  for (const PhaseKey& key : batches) {
    const Phase phase = record.phase(key);
    for (std::size_t r = 0; r < novel_to.size(); ++r) {
      PhaseView view = view_phase(phase, truth, novel_to[r]);
      if (views.size() <= r) {
        views.push_back(std::move(view));
      } else {
        views[r].append(view);
      }
    }
  }
  return views;
}

std::string MeasureRow::step_name() const {
  return step == kAllSteps ? "all" : fmt::format("{}", step);
}

std::vector<MeasureRow> measure_run(const RunRecord& record, const TableOptions& options) {
  const Truth* truth = record.truth();
  if (truth == nullptr) {
    throw Error(ErrorKind::state,
                "the run cannot be measured: its world has not revealed the actual classes");
  }
  const std::vector<Column> columns = columns_of(options.measures);
  std::vector<MeasureRow> rows;
  std::vector<Total> totals;
  std::map<std::tuple<std::string, std::string, NovelTo>, std::size_t> places;
  for (const std::vector<PhaseKey>& batches : by_increment(record.phases())) {
    const PhaseKey& key = batches.front();
    for (const PhaseView& view : view_batches(record, batches, *truth, options.novel_to)) {
      const NovelTo novel_to = view.novel_to;
      const auto [found, is_new] =
          places.try_emplace({key.phase, key.split, novel_to}, totals.size());
      if (is_new) {
        Total& total = totals.emplace_back();
        total.counts.hits_at_rank.resize(kTopRanks);
        total.counts.key = {kAllSteps, key.phase, key.split};
        total.counts.novel_to = novel_to;
        total.means.resize(columns.size());
      }
      Total& total = totals[found->second];
      total.counts.merge(view);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto value = columns[c].first->value(view, columns[c].second);
        rows.push_back(make_row(view, columns[c], value));
        if (value) {
          total.means[c].sum += *value;
          total.means[c].count += 1;
        }
      }
    }
  }
  for (const Total& total : totals) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto& [spec, view] = columns[c];
      const auto value = spec->over_steps == OverSteps::mean ? total.means[c].value()
                                                             : spec->value(total.counts, view);
      rows.push_back(make_row(total.counts, columns[c], value));
    }
  }
  return rows;
}

}  // namespace tyto
