// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/headline.hpp"

#include <algorithm>

#include "tyto/measure/run_registry.hpp"

namespace tyto {

std::vector<HeadlineNumber> headline_legend(std::span<const HeadlineColumn> columns) {
  std::vector<HeadlineNumber> numbers;
  for (const HeadlineColumn& column : columns) {
    numbers.push_back({column, measure_facts(column.measure).better, {}, {}, {}, {}});
  }
  return numbers;
}

std::vector<HeadlineNumber> headline(std::span<const MeasureRow> rows,
                                     std::span<const HeadlineColumn> columns, NovelTo novel_to) {
  std::vector<HeadlineNumber> numbers = headline_legend(columns);
  for (HeadlineNumber& number : numbers) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const MeasureRow& row) {
      return row.step == kAllSteps && row.phase == number.phase && row.split == number.split &&
             row.view == number.view && row.measure == number.measure &&
             row.novel_to == novel_to_name(novel_to);
    });
    if (found != rows.end()) {
      number.value = found->value;
      number.low = found->low;
      number.high = found->high;
    }
  }
  return numbers;
}

}  // namespace tyto
