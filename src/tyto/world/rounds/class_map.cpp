// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/rounds/class_map.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/math/class_statistics.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kMappedRows = 4096;   // gathered at a time
constexpr double kResolution = 1e-7;  // of a float: what varies less about its mean is constant

void number_classes(const IndexTable& table, ClassMap& map) {
  map.names = table.label;
  std::erase(map.names, "");
  std::sort(map.names.begin(), map.names.end());
  map.names.erase(std::unique(map.names.begin(), map.names.end()), map.names.end());
  for (const std::string& label : table.label) {
    map.of_row.push_back(label.empty()
                             ? -1
                             : std::lower_bound(map.names.begin(), map.names.end(), label) -
                                   map.names.begin());
  }
}

ClassStatistics gather_statistics(const Dataset& dataset, const ClassMap& map) {
  const std::vector<Index> first = first_store_rows(dataset.table);
  std::vector<Index> rows;
  std::vector<std::int32_t> keys;
  for (Index i = 0; i < dataset.table.size(); ++i) {
    if (map.of_row[at(i)] >= 0) {
      for (Index row = first[at(i)]; row < first[at(i + 1)]; ++row) {
        rows.push_back(row);
        keys.push_back(static_cast<std::int32_t>(map.of_row[at(i)]));
      }
    }
  }
  const std::vector<Index> shape = dataset.store->shape(map.source);
  const Index width = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
  ClassStatistics statistics(Scatter::diagonal);
  in_blocks(static_cast<Index>(rows.size()), rows_per_block(width, kMappedRows),
            [&](Index begin, Index count) {
              Matrix block(count, width);
              dataset.store->gather(map.source, Rows(rows).subspan(at(begin), at(count)), block);
              statistics.add(block, std::span(keys).subspan(at(begin), at(count)));
            });
  return statistics;
}

}  // namespace

std::vector<Index> ClassMap::nearest(Index c, Index count) const {
  std::vector<std::pair<double, Index>> others;
  for (Index other = 0; other < classes(); ++other) {
    if (other != c) {
      others.emplace_back(distance(c, other), other);
    }
  }
  std::sort(others.begin(), others.end());
  std::vector<Index> found;
  for (std::size_t i = 0; i < std::min(at(count), others.size()); ++i) {
    found.push_back(others[i].second);
  }
  return found;
}

ClassMap map_classes(const Dataset& dataset) {
  ClassMap map;
  number_classes(dataset.table, map);
  if (map.names.empty()) {
    throw Error(ErrorKind::data, fmt::format("no sample of \"{}\" has a label", dataset.name));
  }
  const std::vector<std::string> sources = dataset.store->sources();
  map.source = std::find(sources.begin(), sources.end(), "features") == sources.end()
                   ? sources.front()
                   : "features";
  const ClassStatistics statistics = gather_statistics(dataset, map);
  if (statistics.classes() != map.classes()) {
    throw Error(ErrorKind::data,
                fmt::format("a class of \"{}\" has samples without any frame", dataset.name));
  }
  const Dense<double> means = statistics.means();
  const std::vector<Index> counts = statistics.counts();
  for (Index c = 0; c < map.classes(); ++c) {
    if (!means.row(c).allFinite()) {
      throw Error(ErrorKind::data,
                  fmt::format("class \"{}\" of \"{}\" has values of the source \"{}\" that are not "
                              "finite",
                              map.names[at(c)], dataset.name, map.source));
    }
  }
  const auto n = static_cast<double>(statistics.count());
  map.centre = Eigen::VectorXd::Zero(means.cols());
  for (Index c = 0; c < map.classes(); ++c) {
    map.centre += means.row(c).transpose() * (static_cast<double>(counts[at(c)]) / n);
  }
  // The variance of all rows: that within the classes and that of their means.
  Eigen::VectorXd squares = statistics.diagonal();
  for (Index c = 0; c < map.classes(); ++c) {
    squares.array() += (means.row(c).transpose() - map.centre).array().square() *
                       static_cast<double>(counts[at(c)]);
  }
  map.deviation = (squares / n).cwiseSqrt();
  map.deviation =
      (map.deviation.array() > map.centre.array().abs() * kResolution).select(map.deviation, 0.0);
  map.means = Dense<double>::Zero(means.rows(), means.cols());
  for (Index j = 0; j < means.cols(); ++j) {
    if (map.deviation(j) > 0) {
      map.means.col(j) = (means.col(j).array() - map.centre(j)) / map.deviation(j);
    }
  }
  return map;
}

std::vector<Index> first_store_rows(const IndexTable& table) {
  std::vector<Index> first{0};
  for (Index i = 0; i < table.size(); ++i) {
    first.push_back(first.back() + (table.frames.empty() ? 1 : table.frames[at(i)]));
  }
  return first;
}

}  // namespace tyto
