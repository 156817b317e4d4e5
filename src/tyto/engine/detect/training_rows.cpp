// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/detect/training_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "tyto/engine/detect/row_draw.hpp"
#include "tyto/math/quantile.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kTrainingBlock = 4096;

Eigen::RowVectorXf medians_of(const Matrix& rows) {
  Eigen::RowVectorXf median = Eigen::RowVectorXf::Zero(rows.cols());
  for (Index c = 0; c < rows.cols(); ++c) {
    std::vector<float> values;
    for (Index i = 0; i < rows.rows(); ++i) {
      if (!std::isnan(rows(i, c))) {
        values.push_back(rows(i, c));
      }
    }
    if (!values.empty()) {
      median[c] = static_cast<float>(quantile<float>(values, 0.5));
    }
  }
  return median;
}

void expect_names_once(const std::vector<std::string>& columns, const std::string& name) {
  std::set<std::string> seen;
  for (const std::string& column : columns) {
    if (!seen.insert(column).second) {
      throw Error(ErrorKind::data, fmt::format("{}: two columns are called \"{}\"", name, column));
    }
  }
}

}  // namespace

std::string TrainingRows::column_name(Index column) const {
  return columns.empty() ? fmt::format("column {}", column + 1) : columns[at(column)];
}

Index fill_missing(Matrix& rows, const Eigen::RowVectorXf& median) {
  Index filled = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index c = 0; c < rows.cols(); ++c) {
      if (std::isnan(rows(i, c))) {
        rows(i, c) = median[c];
        ++filled;
      }
    }
  }
  return filled;
}

TrainingRows read_training_rows(FeatureInput& input, const std::string& name, Index most,
                                const Rng& rng) {
  RowDraw draw(most, rng.fork("training rows"));
  TrainingRows out;
  while (true) {
    const InputRows block = input.next(kTrainingBlock);
    if (block.id.empty()) {
      break;
    }
    if (draw.seen() == 0) {
      out.columns = block.samples.column_names("features");
      expect_names_once(out.columns, name);
    }
    draw.add(block.samples.rows());
  }
  out.seen = draw.seen();
  if (out.seen < 2) {
    throw Error(ErrorKind::data,
                fmt::format("{}: has {} row{}; what is normal can be learned from two at the "
                            "least, and from some hundred to mean anything",
                            name, out.seen, out.seen == 1 ? "" : "s"));
  }
  out.rows = draw.rows();
  out.median = medians_of(out.rows);
  out.filled = fill_missing(out.rows, out.median);
  return out;
}

Samples samples_of(Matrix rows, const std::vector<std::string>& columns, std::uint32_t first_id,
                   Lifetime lifetime) {
  Samples::Table table;
  for (Index i = 0; i < rows.rows(); ++i) {
    const std::uint32_t id = first_id + static_cast<std::uint32_t>(i);
    table.id.push_back(static_cast<SampleId>(id));
    table.row.push_back(i);
    table.group.push_back(id);
  }
  std::vector<DenseStore::Source> sources;
  sources.push_back({"features", std::move(rows), columns});
  return Samples(std::make_shared<const DenseStore>(std::move(sources)), std::move(table),
                 lifetime);
}

}  // namespace tyto
