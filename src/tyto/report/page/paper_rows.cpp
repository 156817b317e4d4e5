// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/paper_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/measure/intervals/spread.hpp"
#include "tyto/report/page/ranged.hpp"

namespace tyto {

namespace {

std::vector<HeadlineNumber> numbers_of(const PageArm& arm,
                                       const std::vector<HeadlineColumn>& columns,
                                       Progress& progress) {
  if (arm.seeds.size() == 1) {
    return ranged_headline(arm, columns, progress);
  }
  std::vector<HeadlineNumber> numbers = headline_legend(columns);
  std::vector<std::vector<std::optional<double>>> values(numbers.size());
  for (const PageArm::OfSeed& seed : arm.seeds) {
    const auto rows = number_rows(*seed.record, columns, {}, nullptr, progress).front();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      values[i].push_back(number_in(rows, numbers[i]).value);
    }
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Spread spread = spread_of(values[i]);
    numbers[i].value = spread.mean;
    numbers[i].deviation = spread.deviation;
  }
  return numbers;
}

}  // namespace

std::vector<PaperRow> paper_rows(const PageSource& source, Progress& progress) {
  std::vector<PaperRow> rows;
  for (const PageArm& arm : source.arms) {
    const PageRun& run = source.run_of(arm);
    rows.push_back(
        {run.name, {arm.predictor, arm.feedback, numbers_of(arm, run.headline, progress)}});
  }
  return rows;
}

std::string paper_note(const PageSource& source) {
  const auto any_arm = [&](bool several) {
    return std::any_of(source.arms.begin(), source.arms.end(),
                       [&](const PageArm& arm) { return (arm.seeds.size() > 1) == several; });
  };
  std::string out;
  if (any_arm(true)) {
    out += fmt::format("± is the deviation over {}. ", source.repeats());
  }
  if (any_arm(false)) {
    out +=
        "Brackets hold 95 % bootstrap intervals of the samples: about these trained models, not "
        "about their methods. ";
  }
  out += "Bold is best at the same feedback.";
  for (const PageRun& run : source.runs) {
    if (!run.done) {
      out += fmt::format(" {} is not finished.", run.name);
    }
  }
  return out;
}

}  // namespace tyto
