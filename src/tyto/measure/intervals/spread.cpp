// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/intervals/spread.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tyto {

Spread spread_of(std::span<const std::optional<double>> values) {
  Spread spread;
  double sum = 0;
  for (const auto& value : values) {
    if (value) {
      ++spread.count;
      sum += *value;
      spread.low = std::min(spread.low.value_or(*value), *value);
      spread.high = std::max(spread.high.value_or(*value), *value);
    }
  }
  if (spread.count == 0) {
    return spread;
  }
  spread.mean = sum / static_cast<double>(spread.count);
  if (spread.count > 1) {
    double squares = 0;
    for (const auto& value : values) {
      squares += value ? (*value - *spread.mean) * (*value - *spread.mean) : 0.0;
    }
    spread.deviation = std::sqrt(squares / static_cast<double>(spread.count - 1));
  }
  return spread;
}

std::vector<SpreadRow> spread_rows(std::span<const std::vector<MeasureRow>> runs) {
  std::vector<MeasureRow> order;
  std::vector<std::vector<std::optional<double>>> values;
  using Key = std::tuple<Index, std::string, std::string, std::string, std::string, std::string>;
  std::map<Key, std::size_t> places;
  for (const std::vector<MeasureRow>& run : runs) {
    for (const MeasureRow& row : run) {
      const auto [found, is_new] = places.try_emplace(
          {row.step, row.phase, row.split, row.novel_to, row.view, row.measure}, order.size());
      if (is_new) {
        order.push_back(row);
        order.back().value.reset();
        values.emplace_back();
      }
      values[found->second].push_back(row.value);
    }
  }
  std::vector<SpreadRow> out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    out.push_back({std::move(order[i]), spread_of(values[i])});
  }
  return out;
}

LongTable long_table(std::span<const ArmSpread> arms) {
  LongTable table = table_of(arms);
  table.columns.insert(table.columns.end(),
                       {"step", "phase", "split", "novel_to", "view", "measure", "runs", "mean",
                        "deviation", "low", "high"});
  for (const ArmSpread& arm : arms) {
    for (const auto& [row, spread] : arm.rows) {
      std::vector<Cell>& cells = table.rows.emplace_back(row_of(arm.leading));
      cells.insert(cells.end(), {step_cell(row.step), row.phase, row.split, row.novel_to, row.view,
                                 row.measure, spread.count, cell(spread.mean),
                                 cell(spread.deviation), cell(spread.low), cell(spread.high)});
    }
  }
  return table;
}

}  // namespace tyto
