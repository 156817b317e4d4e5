// SPDX-License-Identifier: Apache-2.0
// The outcome in a paragraph and a table.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/report/page/json.hpp"
#include "tyto/report/page/ranged.hpp"
#include "tyto/report/page/section.hpp"
#include "tyto/report/page/story.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

// What low and high are; runs of one seed and of several may stand on one page.
std::string interval_text(const PageSource& source) {
  const auto has = [&](bool several) {
    return std::any_of(source.arms.begin(), source.arms.end(),
                       [&](const PageArm& arm) { return (arm.seeds.size() > 1) == several; });
  };
  std::string text;
  if (has(false)) {
    text =
        "One seed: 95 % bootstrap interval over the test samples, which is about this trained "
        "model, not about its method: another training differs as well. A reaction time has none, "
        "as it hangs on their order, nor has what was forgotten.";
  }
  if (has(true)) {
    text += fmt::format("{}Several {}: their mean, from the least to the greatest.",
                        text.empty() ? "" : " ", source.repeats());
  }
  return text;
}

bool same_world(const PageRun& a, const PageRun& b) {
  const auto same = [](const ShownCount& x, const ShownCount& y) {
    return std::tie(x.step, x.split, x.label, x.novel, x.samples) ==
           std::tie(y.step, y.split, y.label, y.novel, y.samples);
  };
  const auto& first = a.seeds.front().shown;
  const auto& second = b.seeds.front().shown;
  return std::equal(first.begin(), first.end(), second.begin(), second.end(), same);
}

std::vector<std::string> warnings_of(const PageSource& source) {
  std::vector<std::string> warnings;
  for (const PageRun& run : source.runs) {
    warnings.insert(warnings.end(), run.warnings.begin(), run.warnings.end());
    if (!same_world(source.runs.front(), run)) {
      warnings.push_back(
          fmt::format("{} and {} did not show the same samples: their numbers differ by more than "
                      "their predictors.",
                      source.runs.front().name, run.name));
    }
  }
  return warnings;
}

std::optional<Json> build_summary(const PageSource& source, Progress& progress) {
  const std::vector<HeadlineColumn> shown = source.headline();
  Json columns = Json::array();
  for (const HeadlineNumber& number : headline_legend(shown)) {
    columns.push_back(json_measure(number));
  }
  Json rows = Json::array();
  std::vector<std::vector<HeadlineNumber>> headlines;
  for (const PageArm& arm : source.arms) {
    headlines.push_back(ranged_headline(arm, shown, progress));
    Json values = Json::array();
    for (const HeadlineNumber& number : headlines.back()) {
      values.push_back(json_ranged(number.value, number.low, number.high));
    }
    rows.push_back({{"arm", arm.number}, {"values", std::move(values)}});
  }
  Json paragraphs = Json::array();
  for (std::size_t run = 0; run < source.runs.size(); ++run) {
    paragraphs.push_back(
        {{"run", source.runs[run].number}, {"text", story_of(source, run, headlines)}});
  }
  return Json{{"paragraphs", std::move(paragraphs)},
              {"columns", std::move(columns)},
              {"rows", std::move(rows)},
              {"interval", interval_text(source)},
              {"warnings", warnings_of(source)}};
}

}  // namespace

SectionSpec summary_section() {
  return {"summary",        "Summary", "What was known, what arrived, and what became of it.",
          {.truth = false}, 10,        build_summary};
}

}  // namespace tyto
