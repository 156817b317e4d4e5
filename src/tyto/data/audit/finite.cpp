// SPDX-License-Identifier: Apache-2.0
#include "tyto/data/audit/finite.hpp"

#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"
#include "tyto/data/audit/scan.hpp"
#include "tyto/math/all_finite.hpp"

namespace tyto {

namespace {

constexpr Index kCheckedValues = Index{1} << 20;

}  // namespace

void expect_finite(const Dataset& dataset, std::string_view source) {
  const FeatureStore& store = *dataset.store;
  const auto shape = store.shape(source);
  const Index width = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies<>());
  const auto columns = store.column_names(source);
  in_blocks(
      store.rows(), std::max<Index>(1, kCheckedValues / width), [&](Index begin, Index count) {
        std::vector<Index> rows(static_cast<std::size_t>(count));
        std::iota(rows.begin(), rows.end(), begin);
        Matrix block(count, width);
        store.gather(source, rows, block);
        if (all_finite(block)) {
          return;
        }
        for (Index i = 0; i < count; ++i) {
          for (Index j = 0; j < width; ++j) {
            if (!std::isfinite(block(i, j))) {
              throw Error(
                  ErrorKind::data,
                  fmt::format(
                      "{}: sample \"{}\" (row {} of {}) has {} in column {}; features "
                      "must be finite numbers",
                      dataset.name,
                      dataset.table.id.at(
                          static_cast<std::size_t>(sample_of_row(dataset.table, begin + i))),
                      begin + i, source, block(i, j),
                      columns.empty() ? std::to_string(j) : columns[static_cast<std::size_t>(j)]));
            }
          }
        }
      });
}

}  // namespace tyto
