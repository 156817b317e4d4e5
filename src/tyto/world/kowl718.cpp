// SPDX-License-Identifier: Apache-2.0
#include "tyto/world/kowl718.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "tyto/core/csv/csv_text.hpp"
#include "tyto/world/manifest.hpp"

namespace tyto {

namespace {

std::string_view side_of(std::size_t release, std::size_t split) {
  const bool tests =
      release == static_cast<std::size_t>(Release::k700) && kListSplits[split] == "validate";
  return tests ? "test" : kListSplits[split];
}

Dataset dataset_of(const UnifiedKinetics& unified, std::size_t release) {
  Dataset dataset;
  dataset.name = kReleaseNames[release];
  IndexTable& table = dataset.table;
  auto& ids = table.annotations["youtube_id"];
  auto& starts = table.annotations["time_start"];
  auto& ends = table.annotations["time_end"];
  for (const UnifiedClip& clip : unified.clips[release]) {
    table.id.push_back(clip.key.text());
    table.label.push_back(clip.label);
    table.split.emplace_back(side_of(release, clip.split));
    ids.push_back(clip.key.youtube_id);
    starts.push_back(std::to_string(clip.key.start));
    ends.push_back(std::to_string(clip.key.end));
  }
  return dataset;
}

void unite_test(Increment& increment) {
  auto& validate = increment.splits[static_cast<std::size_t>(Side::validate)];
  auto& test = increment.splits[static_cast<std::size_t>(Side::test)];
  validate.row.insert(validate.row.end(), test.row.begin(), test.row.end());
  validate.novel.insert(validate.novel.end(), test.novel.begin(), test.novel.end());
  test = std::move(validate);
  validate = {};
}

}  // namespace

Kowl718 build_kowl718(const UnifiedKinetics& unified, const Kowl718Options& options,
                      const Rng& rng) {
  Kowl718 split;
  std::vector<Dataset> datasets;
  for (std::size_t release = 0; release < kReleaseNames.size(); ++release) {
    datasets.push_back(dataset_of(unified, release));
    const auto& sides = datasets.back().table.split;
    if (release > 0 && std::find(sides.begin(), sides.end(), "train") == sides.end()) {
      split.without_train.emplace_back(kReleaseNames[release]);
    }
  }
  split.series = join_series(std::move(datasets));
  IncrementOptions world;
  world.increments = options.increments;
  world.schedule = options.schedule;
  world.order = "blocks";
  world.train_optional = true;
  split.schedule = build_schedule(split.series, world, rng);
  for (Increment& increment : split.schedule.increments) {
    if (options.unite_test && increment.dataset != kReleaseNames[0]) {
      unite_test(increment);
    }
  }
  return split;
}

std::string manifest_csv(const Kowl718& split) {
  const std::vector<std::string> annotations{"youtube_id", "time_start", "time_end", "dataset"};
  return manifest_csv(split.schedule, split.series.joined.table, annotations);
}

std::string classes_csv(const UnifiedKinetics& unified, const Schedule& schedule) {
  const std::map<std::string, Index> first(schedule.first_shown.begin(),
                                           schedule.first_shown.end());
  std::string out = "label,unified_label,in_k400,in_k600,in_k700,first_increment\n";
  for (const UnifiedName& name : unified.names) {
    const auto found = first.find(name.unified);
    fmt::format_to(std::back_inserter(out), "{},{},{:d},{:d},{:d},{}\n", csv_field(name.listed),
                   csv_field(name.unified), name.in[0], name.in[1], name.in[2],
                   found == first.end() ? "" : std::to_string(std::max<Index>(0, found->second)));
  }
  return out;
}

}  // namespace tyto
