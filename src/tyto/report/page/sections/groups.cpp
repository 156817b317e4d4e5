// SPDX-License-Identifier: Apache-2.0
// The main measures for parts of the samples: by subject, by source, by whatever the data note.
#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "tyto/report/page/json.hpp"
#include "tyto/report/page/ranged.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFewest = 2;
constexpr std::size_t kMost = 40;  // groups of a column worth a table

std::vector<HeadlineNumber> shown_numbers() {
  std::vector<HeadlineNumber> numbers = headline_legend();
  std::erase_if(numbers, [](const HeadlineNumber& number) {
    return number.measure == "auroc" || number.measure == "reaction_time";  // of whole streams
  });
  return numbers;
}

// By SampleId: is it in the test split?
std::vector<std::uint8_t> tested_samples(const RunRecord& record) {
  std::vector<std::uint8_t> tested(record.truth()->label.size());
  for (const PhaseKey& key : record.phases()) {
    if (key.split == "test" && key.phase == "post") {
      for (const SampleId id : record.phase(key).sample) {
        tested.at(static_cast<std::size_t>(id)) = 1;
      }
    }
  }
  return tested;
}

bool is_worth_it(const std::vector<std::string>& values, const std::vector<std::uint8_t>& tested) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < values.size() && seen.size() <= kMost; ++i) {
    if (tested[i] != 0 && !values[i].empty() && values[i] != kNotAnnotated) {
      seen.insert(values[i]);
    }
  }
  return seen.size() >= kFewest && seen.size() <= kMost;
}

std::vector<std::string> columns_of(const RunRecord& record) {
  std::vector<std::string> columns;
  if (record.truth() == nullptr || record.truth()->annotations.empty()) {
    return columns;
  }
  const auto tested = tested_samples(record);
  for (const auto& [column, values] : record.truth()->annotations) {
    if (is_worth_it(annotation_values(*record.truth(), column), tested)) {
      columns.push_back(column);
    }
  }
  return columns;
}

// Groups of the first seed, in order; a group that another seed alone has is left out.
void add_rows(Json& rows, const PageArm& arm, const std::string& column,
              const std::vector<HeadlineNumber>& numbers, Progress& progress) {
  BootstrapOptions bootstrap;
  bootstrap.replicates = 200;
  std::vector<std::vector<MeasureRow>> seeds;
  std::vector<std::string> names;
  for (const PageArm::OfSeed& seed : arm.seeds) {
    const Truth& truth = *seed.record->truth();
    if (!truth.annotations.contains(column)) {
      continue;
    }
    const Groups groups =
        make_groups(truth, annotation_values(truth, column), tested_samples(*seed.record), column);
    if (names.empty()) {
      names = groups.names;
    }
    seeds.push_back(number_rows(*seed.record, numbers, &groups,
                                arm.seeds.size() == 1 ? &bootstrap : nullptr, progress));
  }
  for (const std::string& group : names) {
    const auto& first = seeds.front();
    const auto found = std::find_if(first.rbegin(), first.rend(),
                                    [&](const MeasureRow& row) { return row.group == group; });
    if (found == first.rend()) {
      continue;
    }
    Json values = Json::array();
    for (const HeadlineNumber& number : numbers) {
      std::vector<RangedValue> by_seed;
      for (const auto& seed : seeds) {
        by_seed.push_back(number_in(seed, number, group));
      }
      const RangedValue value = spread_over(by_seed);
      values.push_back(json_ranged(value.value, value.low, value.high));
    }
    rows.push_back({{"arm", arm.number},
                    {"group", group},
                    {"samples", found->samples},
                    {"values", std::move(values)}});
  }
}

std::optional<Json> build(const PageSource& source, Progress& progress) {
  const std::vector<HeadlineNumber> numbers = shown_numbers();
  Json measures = Json::array();
  for (const HeadlineNumber& number : numbers) {
    measures.push_back(json_measure(number));
  }
  Json columns = Json::array();
  for (const PageRun& run : source.runs) {
    std::vector<const PageArm*> arms;
    for (const PageArm& arm : source.arms) {
      if (source.run_of(arm).number == run.number) {
        arms.push_back(&arm);
      }
    }
    if (arms.empty()) {
      continue;
    }
    for (const std::string& column : columns_of(*arms.front()->seeds.front().record)) {
      Json rows = Json::array();
      for (const PageArm* arm : arms) {
        add_rows(rows, *arm, column, numbers, progress);
      }
      columns.push_back({{"run", run.number},
                         {"column", column},
                         {"measures", measures},
                         {"rows", std::move(rows)}});
    }
  }
  if (columns.empty()) {
    return std::nullopt;
  }
  return Json{{"columns", std::move(columns)}};
}

}  // namespace

SectionSpec groups_section() {
  return {"groups",
          "Groups",
          "The same measures on the test split for parts of the samples, by what is noted of them.",
          {"owl"},
          70,
          build};
}

}  // namespace tyto
