// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/scan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr Index kScannedValues = 1 << 20;  // 4 MiB of features at a time

std::uint64_t with_value(std::uint64_t hash, float value) {
  hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x9E3779B97F4A7C15;
  return hash ^ (hash >> 32);
}

class SourceScanner {
 public:
  SourceScanner(const Dataset& dataset, const std::string& name) : store_(*dataset.store) {
    out_.name = name;
    out_.shape = store_.shape(name);
    out_.names = store_.column_names(name);
    const Index width =
        std::accumulate(out_.shape.begin(), out_.shape.end(), Index{1}, std::multiplies<>());
    out_.columns.resize(static_cast<std::size_t>(width));
  }

  // `starts`, if any, are the first rows of the samples whose hashes are wanted.
  SourceScan run(const std::vector<Index>* starts, std::vector<std::uint64_t>* hashes,
                 Progress& progress) {
    const Index width = out_.width();
    const Index block_rows = std::max<Index>(1, kScannedValues / std::max<Index>(1, width));
    std::size_t sample = 0;
    in_blocks(store_.rows(), block_rows, [&](Index begin, Index count) {
      std::vector<Index> rows(static_cast<std::size_t>(count));
      std::iota(rows.begin(), rows.end(), begin);
      Matrix block(count, width);
      store_.gather(out_.name, rows, block);
      block.array() += 0.0F;  // -0 becomes 0
      if (begin == 0) {
        reference_ = block.row(0);
      }
      for (Index i = 0; i < count; ++i) {
        const float* values = block.data() + i * width;
        look_at(values, begin + i);
        if (starts != nullptr) {
          sample += begin + i == (*starts)[sample + 1] ? 1 : 0;
          std::uint64_t& hash = (*hashes)[sample];
          hash = mix(hash, {reinterpret_cast<const char*>(values),
                            static_cast<std::size_t>(width) * sizeof(float)});
        }
      }
      progress.advance(static_cast<double>(count));
    });
    if (finite_ > 0) {
      out_.low = low_;
      out_.high = high_;
      out_.mean = sum_ / static_cast<double>(finite_);
    }
    if (store_.rows() < 2) {
      for (ColumnScan& column : out_.columns) {
        column.constant = false;
      }
    }
    return std::move(out_);
  }

 private:
  void look_at(const float* values, Index row) {
    bool bad = false;
    for (Index j = 0; j < out_.width(); ++j) {
      ColumnScan& column = out_.columns[static_cast<std::size_t>(j)];
      const float value = values[j];
      column.constant = column.constant && value == reference_[j];
      column.hash = with_value(column.hash, value);
      if (!std::isfinite(value)) {
        bad = true;
        column.first_bad = column.bad++ == 0 ? row : column.first_bad;
        continue;
      }
      ++finite_;
      sum_ += value;
      low_ = std::min(low_, value);
      high_ = std::max(high_, value);
    }
    if (bad && out_.bad_rows++ == 0) {
      out_.first_bad_row = row;
    }
  }

  const FeatureStore& store_;
  SourceScan out_;
  Eigen::RowVectorXf reference_;
  Index finite_ = 0;
  double sum_ = 0;
  float low_ = std::numeric_limits<float>::infinity();
  float high_ = -low_;
};

}  // namespace

std::string SourceScan::column_name(std::size_t column) const {
  return names.empty() ? std::to_string(column) : names[column];
}

std::vector<Index> first_rows(const IndexTable& table) {
  std::vector<Index> starts(table.id.size() + 1, 0);
  for (std::size_t i = 0; i < table.id.size(); ++i) {
    starts[i + 1] = starts[i] + (table.frames.empty() ? 1 : table.frames[i]);
  }
  return starts;
}

Index sample_of_row(const IndexTable& table, Index row) {
  if (table.frames.empty()) {
    return row;
  }
  const auto starts = first_rows(table);
  return std::upper_bound(starts.begin(), starts.end(), row) - starts.begin() - 1;
}

DatasetScan scan_dataset(const Dataset& dataset, Progress& progress) {
  DatasetScan scan;
  const auto names = dataset.store->sources();
  const auto starts = first_rows(dataset.table);
  scan.sample_hash.resize(dataset.table.id.size());
  progress.begin("reading the features",
                 static_cast<double>(dataset.store->rows()) * static_cast<double>(names.size()));
  for (const std::string& name : names) {
    const bool is_first = scan.sources.empty();
    scan.sources.push_back(
        SourceScanner(dataset, name)
            .run(is_first ? &starts : nullptr, is_first ? &scan.sample_hash : nullptr, progress));
  }
  progress.end();
  return scan;
}

}  // namespace tyto
