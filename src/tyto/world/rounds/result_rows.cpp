// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/result_rows.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "tyto/core/csv/csv_text.hpp"

namespace tyto {

namespace {

constexpr Index kNoColumn = -1;

// Columns of the prediction; a class the predictor has not heard of has none.
std::vector<Index> columns_of(const LabelSpace& space, std::span<const std::string> classes) {
  std::vector<Index> columns;
  for (const std::string& name : classes) {
    const auto label = space.find(name);
    columns.push_back(label ? static_cast<Index>(*label) : kNoColumn);
  }
  return columns;
}

void append_number(std::string& out, float value) {
  fmt::format_to(std::back_inserter(out), ",{}", value);  // shortest that reads back the same
}

float belief(const Prediction& prediction, Index row, Index column) {
  return column == kNoColumn ? 0.0F : prediction.probability(row, column);
}

float sum_of(const Prediction& prediction, Index row, const std::vector<Index>& columns) {
  double sum = 0;
  for (const Index column : columns) {
    sum += static_cast<double>(belief(prediction, row, column));
  }
  return static_cast<float>(std::clamp(sum, 0.0, 1.0));
}

}  // namespace

std::vector<float> p_of_none(const Prediction& prediction, std::span<const std::string> classes) {
  const std::vector<Index> columns = columns_of(*prediction.space, classes);
  std::vector<float> out;
  for (Index i = 0; i < prediction.probability.rows(); ++i) {
    out.push_back(1.0F - sum_of(prediction, i, columns));
  }
  return out;
}

std::string detection_rows(std::span<const std::string> names, std::span<const float> changed,
                           std::span<const float> p_new) {
  std::string rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    append_csv_field(rows, names[i]);
    append_number(rows, changed[i]);
    append_number(rows, p_new[i]);
    rows += '\n';
  }
  return rows;
}

std::string classification_rows(std::span<const std::string> names, const Prediction& prediction,
                                std::span<const std::string> classes) {
  const std::vector<Index> columns = columns_of(*prediction.space, classes);
  std::string rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    append_csv_field(rows, names[i]);
    const auto row = static_cast<Index>(i);
    for (const Index column : columns) {
      append_number(rows, belief(prediction, row, column));
    }
    append_number(rows, 1.0F - sum_of(prediction, row, columns));
    rows += '\n';
  }
  return rows;
}

std::string characterization_rows(std::span<const std::string> names, const Prediction& prediction,
                                  std::span<const std::string> classes) {
  const LabelSpace& space = *prediction.space;
  const std::vector<Index> columns = columns_of(space, classes);
  std::vector<Index> clusters;
  for (Index entry = 0; entry < space.size(); ++entry) {
    const LabelKind kind = space.kind(static_cast<Label>(entry));
    if (kind == LabelKind::discovered || kind == LabelKind::retired) {
      clusters.push_back(entry);
    }
  }
  std::string rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    append_csv_field(rows, names[i]);
    const auto row = static_cast<Index>(i);
    // All that is neither one of the classes nor a cluster: it sums to one whatever was learned.
    append_number(rows, 1.0F - std::min(1.0F, sum_of(prediction, row, columns) +
                                                  sum_of(prediction, row, clusters)));
    for (const std::vector<Index>& group : {columns, clusters}) {
      for (const Index column : group) {
        append_number(rows, belief(prediction, row, column));
      }
    }
    rows += '\n';
  }
  return rows;
}

}  // namespace tyto
