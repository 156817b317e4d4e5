// SPDX-License-Identifier: Apache-2.0
// The main measures for parts of the samples: by subject, by source, by whatever the data note.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/ranged.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFewest = 2;
constexpr std::size_t kMost = 40;  // groups of a column worth a table

// Known classes by name and all others as unknown, after feedback, over all increments: what the
// ablations of KOWL-718 show by group.
std::vector<HeadlineColumn> main_numbers() {
  return {
      {"group_accuracy", "accuracy",
       "After feedback: share of the samples that got their right name; a class without a label "
       "is to be called unknown. All increments pooled.",
       "post", "classification", "accuracy"},
      {"group_mcc", "MCC",
       "After feedback: Matthews correlation of actual and predicted names, classes without a "
       "label being unknown. All increments pooled.",
       "post", "classification", "mcc"},
      {"group_nmi", "NMI",
       "After feedback: how far predicted names tell the actual ones, whatever they are called. "
       "All increments pooled.",
       "post", "classification", "nmi"}};
}

std::vector<HeadlineColumn> shown_numbers(const PageSource& source) {
  std::vector<HeadlineColumn> numbers = source.headline();
  const std::vector<HeadlineColumn> main = main_numbers();
  numbers.insert(numbers.begin(), main.begin(), main.end());
  std::erase_if(numbers, [](const HeadlineColumn& number) {  // those of whole streams
    return find_run_measure(number.measure) != nullptr ||
           find_measure(number.measure).over_steps == OverSteps::mean;
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

std::vector<std::string> suggested_columns(const RunRecord& record) {
  std::vector<std::string> columns;
  if (record.truth() == nullptr || record.truth()->annotations.empty()) {
    return columns;
  }
  // "group" and "source" often repeat a column that has a name of its own.
  std::vector<std::string> order;
  for (const auto& [column, values] : record.truth()->annotations) {
    if (column != "media" && !column.starts_with("thumbnail")) {  // these are pictures
      order.push_back(column);
    }
  }
  std::stable_partition(order.begin(), order.end(), [](const std::string& column) {
    return column != "group" && column != "source";
  });
  const auto tested = tested_samples(record);
  std::set<std::vector<std::string>> seen;
  for (const std::string& column : order) {
    const auto values = annotation_values(*record.truth(), column);
    if (is_worth_it(values, tested) && seen.insert(values).second) {
      columns.push_back(column);
    }
  }
  return columns;
}

std::string title_of(const WantedGroups& wanted) {
  return wanted.parts ? fmt::format("{}:{}", wanted.column, *wanted.parts) : wanted.column;
}

// What was asked for, then what the samples suggest; a column asked for is not shown again.
std::vector<WantedGroups> columns_of(const RunRecord& record,
                                     const std::vector<WantedGroups>& wanted) {
  std::vector<WantedGroups> columns = wanted;
  for (const std::string& column : suggested_columns(record)) {
    if (std::none_of(wanted.begin(), wanted.end(), [&](const WantedGroups& other) {
          return other.column == column && !other.parts;
        })) {
      columns.push_back({column, {}, {}, {}, ""});
    }
  }
  return columns;
}

// Throws Error(config) for a column that was asked for and has too many values to be shown.
Groups groups_by(const WantedGroups& wanted, const Truth& truth,
                 const std::vector<std::uint8_t>& tested, bool is_first) {
  std::vector<std::string> values;
  if (!wanted.ids.empty()) {
    values = joined_values(truth, wanted.ids, wanted.values, wanted.table);
  } else if (is_first || truth.annotations.contains(wanted.column)) {
    values = annotation_values(truth, wanted.column);
  } else {
    values.resize(truth.label.size());  // a later seed lacks it: a single group
  }
  Groups groups = make_groups(truth, values, tested, wanted.column, wanted.parts);
  if (groups.names.size() > kMost + 1) {  // N/A besides
    throw Error(ErrorKind::config,
                fmt::format("--by {}: the tested samples have {} values of it, more than {}; {}:3 "
                            "cuts a number into thirds",
                            wanted.column, groups.names.size() - 1, kMost, wanted.column));
  }
  return groups;
}

struct GroupedRun {
  std::vector<WantedGroups> columns;
  std::vector<std::vector<Groups>> groups;  // by seed of the run, by column; empty: not needed yet
};

const std::vector<Groups>& groups_of(GroupedRun& run, const PageArm::OfSeed& seed) {
  auto& groups = run.groups[seed.seed];
  if (groups.empty()) {
    const Truth& truth = *seed.record->truth();
    const auto tested = tested_samples(*seed.record);
    for (const WantedGroups& column : run.columns) {
      groups.push_back(groups_by(column, truth, tested, seed.seed == 0));
    }
  }
  return groups;
}

// Rows of an arm by column. Groups are those of the first seed, in order; one that another seed
// alone has is left out.
std::vector<Json> rows_of(const PageArm& arm, GroupedRun& run,
                          const std::vector<HeadlineColumn>& numbers, Progress& progress) {
  BootstrapOptions bootstrap;
  bootstrap.replicates = 200;
  std::vector<std::vector<std::vector<MeasureRow>>> seeds;  // by seed and column
  for (const PageArm::OfSeed& seed : arm.seeds) {
    seeds.push_back(number_rows(*seed.record, numbers, groups_of(run, seed),
                                arm.seeds.size() == 1 ? &bootstrap : nullptr, progress));
  }
  std::vector<Json> all(run.columns.size(), Json::array());
  for (std::size_t c = 0; c < run.columns.size(); ++c) {
    const std::vector<MeasureRow>& first = seeds.front()[c];
    for (const std::string& group : groups_of(run, arm.seeds.front())[c].names) {
      const auto found = std::find_if(first.begin(), first.end(), [&](const MeasureRow& row) {
        return row.group == group && row.phase == numbers.front().phase;
      });
      if (found == first.end()) {
        continue;
      }
      Json values = Json::array();
      for (const HeadlineColumn& number : numbers) {
        std::vector<RangedValue> by_seed;
        for (const auto& seed : seeds) {
          by_seed.push_back(number_in(seed[c], number, group));
        }
        const RangedValue value = spread_over(by_seed);
        values.push_back(json_ranged(value.value, value.low, value.high));
      }
      all[c].push_back({{"arm", arm.number},
                        {"group", group},
                        {"samples", found->samples},
                        {"values", std::move(values)}});
    }
  }
  return all;
}

std::optional<Json> build_groups(const PageSource& source, Progress& progress) {
  const std::vector<HeadlineColumn> numbers = shown_numbers(source);
  Json measures = Json::array();
  for (const HeadlineNumber& number : headline_legend(numbers)) {
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
    const PageArm::OfSeed& first = arms.front()->seeds.front();
    GroupedRun grouped{columns_of(*first.record, source.wanted_groups), {}};
    if (grouped.columns.empty()) {
      continue;
    }
    grouped.groups.resize(run.seeds.size());
    std::vector<Json> rows(grouped.columns.size(), Json::array());
    for (const PageArm* arm : arms) {
      const std::vector<Json> own = rows_of(*arm, grouped, numbers, progress);
      for (std::size_t c = 0; c < own.size(); ++c) {
        rows[c].insert(rows[c].end(), own[c].begin(), own[c].end());
      }
    }
    for (std::size_t c = 0; c < rows.size(); ++c) {
      columns.push_back({{"run", run.number},
                         {"column", title_of(grouped.columns[c])},
                         {"note", groups_of(grouped, first)[c].note},
                         {"measures", measures},
                         {"main", main_numbers().size()},
                         {"rows", std::move(rows[c])}});
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
          "Measures on the test split for parts of the samples, by what is noted of them; N/A: "
          "nothing is.",
          {.phases = {"post"}},
          70,
          build_groups};
}

}  // namespace tyto
