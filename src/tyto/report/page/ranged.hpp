// SPDX-License-Identifier: Apache-2.0
// Headline numbers with the ends of an interval, as cheap as a page can afford.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tyto/measure/formulas/groups.hpp"
#include "tyto/measure/headline.hpp"
#include "tyto/measure/intervals/bootstrap.hpp"
#include "tyto/report/page/source.hpp"

namespace tyto {

struct RangedValue {
  std::optional<double> value, low, high;
};

// Resamples for so many samples: 200, or fewer where they would take long, but not below 40.
Index page_replicates(double samples);

// Rows of these numbers over all increments: by group, a list for each of `groups`, or one list of
// all samples if there are none. Phases and splits the record does not have give no rows, nor do
// measures of whole runs for groups; of all samples these have no interval.
std::vector<std::vector<MeasureRow>> number_rows(const RunRecord& record,
                                                 std::span<const HeadlineColumn> numbers,
                                                 std::span<const Groups> groups,
                                                 const BootstrapOptions* bootstrap,
                                                 Progress& progress);

RangedValue number_in(std::span<const MeasureRow> rows, const HeadlineColumn& number,
                      std::string_view group = "");

// Mean, least and greatest; of a single value that value.
RangedValue spread_over(std::span<const RangedValue> seeds);

// Of one seed with a bootstrap interval of its samples; of several the mean with the least and the
// greatest.
std::vector<HeadlineNumber> ranged_headline(const PageArm& arm,
                                            std::span<const HeadlineColumn> columns,
                                            Progress& progress);

}  // namespace tyto
