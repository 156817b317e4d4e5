// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/release_increments.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/world/manifest.hpp"

namespace tyto {

namespace {

// Columns of a manifest that are the manifest's own.
constexpr std::array<std::string_view, 6> kOwnColumns{"id",    "label",   "increment",
                                                      "split", "novelty", "dataset"};

// What the manifest calls a column of the lists.
std::string column_name(const std::string& listed) {
  const bool is_own =
      std::find(kOwnColumns.begin(), kOwnColumns.end(), listed) != kOwnColumns.end();
  return is_own ? "list_" + listed : listed;
}

void add_release(Dataset& dataset, const std::vector<UnifiedClip>& clips,
                 const ReleasePlan& release, const ListColumns& columns) {
  IndexTable& table = dataset.table;
  auto& more = table.annotations;
  dataset.name += (dataset.name.empty() ? "" : "+") + release.name;
  for (const UnifiedClip& clip : clips) {
    table.id.push_back(clip.key.text());
    table.label.push_back(clip.label);
    table.split.push_back(release.splits[clip.split].becomes);
    more[column_name(columns.id)].push_back(clip.key.video);
    if (columns.have_times()) {
      more[column_name(columns.start)].push_back(std::to_string(clip.key.start));
      more[column_name(columns.end)].push_back(std::to_string(clip.key.end));
    }
  }
}

void unite_test(Increment& increment) {
  auto& validate = increment.splits[static_cast<std::size_t>(Side::validate)];
  auto& test = increment.splits[static_cast<std::size_t>(Side::test)];
  validate.row.insert(validate.row.end(), test.row.begin(), test.row.end());
  validate.novel.insert(validate.novel.end(), test.novel.begin(), test.novel.end());
  test = std::move(validate);
  validate = {};
}

std::vector<std::string> names_by_row(const UnifiedReleases& unified, const SplitPlan& plan) {
  std::vector<std::string> names;
  for (std::size_t release = 0; release < plan.releases.size(); ++release) {
    names.resize(names.size() + unified.clips[release].size(), plan.releases[release].name);
  }
  return names;
}

}  // namespace

ReleaseIncrements build_release_increments(const UnifiedReleases& unified, const SplitPlan& plan,
                                           const Rng& rng) {
  ReleaseIncrements split;
  IncrementOptions world;
  std::vector<Dataset> datasets;
  for (std::size_t release = 0; release < plan.releases.size(); ++release) {
    const bool is_later = release > plan.start;
    if (release == 0 || is_later) {
      datasets.emplace_back();
      world.increments_of.push_back(is_later ? plan.releases[release].increments : 0);
    }
    add_release(datasets.back(), unified.clips[release], plan.releases[release], plan.columns);
    const auto& sides = datasets.back().table.split;
    if (is_later && std::find(sides.begin(), sides.end(), "train") == sides.end()) {
      split.without_train.push_back(plan.releases[release].name);
    }
  }
  world.increments = datasets.size() == 1 ? 0 : 1;  // 0: the only one is shown whole
  world.schedule = plan.schedule;
  world.order = "blocks";
  world.train_optional = true;
  world.novel = plan.novel;
  split.series = join_series(std::move(datasets));
  split.series.joined.table.annotations["dataset"] = names_by_row(unified, plan);
  split.schedule = build_schedule(split.series, world, rng);
  for (Increment& increment : split.schedule.increments) {
    if (plan.test == "union" && increment.dataset != split.series.names.front()) {
      unite_test(increment);
    }
  }
  return split;
}

std::string manifest_csv(const ReleaseIncrements& split, const SplitPlan& plan) {
  std::vector<std::string> annotations{column_name(plan.columns.id)};
  if (plan.columns.have_times()) {
    annotations.push_back(column_name(plan.columns.start));
    annotations.push_back(column_name(plan.columns.end));
  }
  annotations.emplace_back("dataset");
  return manifest_csv(split.schedule, split.series.joined.table, annotations);
}

std::string classes_csv(const UnifiedReleases& unified, const SplitPlan& plan,
                        const Schedule& schedule) {
  const std::map<std::string, Index> first(schedule.first_shown.begin(),
                                           schedule.first_shown.end());
  std::string out = "label,unified_label";
  for (const ReleasePlan& release : plan.releases) {
    out += ',' + csv_field("in_" + release.name);
  }
  out += ",first_increment\n";
  for (const UnifiedName& name : unified.names) {
    out += csv_field(name.listed) + ',' + csv_field(name.unified);
    for (const bool is_in : name.in) {
      out += is_in ? ",1" : ",0";
    }
    const auto found = first.find(name.unified);
    fmt::format_to(std::back_inserter(out), ",{}\n",
                   found == first.end() ? "" : std::to_string(std::max<Index>(0, found->second)));
  }
  return out;
}

}  // namespace tyto
