// SPDX-License-Identifier: Apache-2.0
#include "tyto/parts/representation/fit_rows.hpp"

#include "tyto/core/parallel.hpp"
#include "tyto/sample/blocks.hpp"

namespace tyto {

namespace {

constexpr Index kFitBlock = 2048;

// add(features) of every block of fit rows.
template <class Add>
void each_fit_block(const Experience& experience, std::string_view who, Work& work,
                    const Add& add) {
  std::vector<Index> rows;
  for (Index i = 0; i < experience.size(); ++i) {
    if (experience.roles()[static_cast<std::size_t>(i)] == Role::fit) {
      rows.push_back(i);
    }
  }
  if (rows.empty()) {
    throw Error(ErrorKind::data,
                fmt::format("{} has no samples to be fitted on: all {} are held out", who,
                            experience.size()));
  }
  const Index most = samples_per_block(experience.samples(Rows(rows).first(1)), kFitBlock);
  in_blocks(static_cast<Index>(rows.size()), most, [&](Index begin, Index count) {
    add(experience.features(
        Rows(rows).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count))));
    work.progress.pulse();
  });
}

}  // namespace

ClassStatistics fit_row_statistics(const Experience& experience, Scatter scatter,
                                   std::string_view who, Work& work) {
  ClassStatistics statistics(scatter);
  each_fit_block(experience, who, work, [&](const Matrix& rows) { statistics.add(rows); });
  return statistics;
}

RowScatter fit_row_scatter(const Experience& experience, std::string_view who, Work& work) {
  RowScatter scatter;
  each_fit_block(experience, who, work, [&](const Matrix& rows) { scatter.add(rows); });
  return scatter;
}

}  // namespace tyto
