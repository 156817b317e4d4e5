// SPDX-License-Identifier: Apache-2.0
// Category discovery: the groups that samples without labels were sorted into, what each is made
// of, and the one class it is matched with.
#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "tyto/measure/table.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostGroups = 500;             // told of a split, the largest
constexpr std::size_t kMostCategoryCells = 300'000;  // of a page: some 4 MB
constexpr std::size_t kMixedClasses = 6;             // told of a group
constexpr std::size_t kGroupMembers = 5;             // shown of a group
constexpr std::size_t kPicturedGroups = 60;          // of a split
constexpr std::size_t kCategoryPictures = 600'000;   // bytes of a page

struct FoundGroup {
  Index label = 0;  // of the raw view
  Index size = 0;
  std::vector<std::pair<Index, Index>> mix;  // class and samples, most first, ties to the earlier
  std::vector<SampleId> members;             // the surest first
  std::vector<std::optional<Index>> media;
};

struct SortedSplit {
  const PageArm* arm;
  PhaseView view;
  std::vector<FoundGroup> groups;  // the largest first, ties to the earlier
};

// Rows by the label of their group, the surest first, ties to the earlier.
std::vector<Index> rows_by_sureness(const PhaseView& view) {
  std::vector<Index> rows(static_cast<std::size_t>(view.size()));
  std::iota(rows.begin(), rows.end(), Index{0});
  if (view.confidence.size() == rows.size()) {
    std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) {
      return view.confidence[static_cast<std::size_t>(a)] >
             view.confidence[static_cast<std::size_t>(b)];
    });
  }
  return rows;
}

std::vector<FoundGroup> groups_in(const PhaseView& view) {
  const Confusion& raw = view.views.raw;
  std::vector<FoundGroup> by_label(static_cast<std::size_t>(raw.size()));
  for (const auto& [cell, count] : raw.cells()) {
    FoundGroup& group = by_label[static_cast<std::size_t>(cell.second)];
    group.label = cell.second;
    group.size += count;
    group.mix.emplace_back(cell.first, count);
  }
  for (const Index row : rows_by_sureness(view)) {
    const auto label = raw.find(view.decision_name(row));
    FoundGroup& group = by_label[static_cast<std::size_t>(*label)];
    if (group.members.size() < kGroupMembers) {
      group.members.push_back(view.sample[static_cast<std::size_t>(row)]);
    }
  }
  std::erase_if(by_label, [](const FoundGroup& group) { return group.size == 0; });
  for (FoundGroup& group : by_label) {
    std::stable_sort(group.mix.begin(), group.mix.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    group.media.resize(group.members.size());
  }
  std::stable_sort(by_label.begin(), by_label.end(),
                   [](const FoundGroup& a, const FoundGroup& b) { return a.size > b.size; });
  return by_label;
}

// The surest of every group before the second of any.
void add_member_pictures(const PageSource& source, std::vector<SortedSplit>& splits) {
  PictureShare share{kCategoryPictures};
  for (std::size_t depth = 0; depth < kGroupMembers; ++depth) {
    for (SortedSplit& split : splits) {
      if (split.arm->seeds.front().seed != 0) {
        continue;  // pictures are of the first seed
      }
      const Truth& truth = *split.arm->seeds.front().record->truth();
      for (std::size_t g = 0; g < std::min(split.groups.size(), kPicturedGroups); ++g) {
        FoundGroup& group = split.groups[g];
        if (depth < group.members.size()) {
          group.media[depth] = source.picture(source.run_of(*split.arm), truth,
                                              {.sample = group.members[depth]}, share);
        }
      }
    }
  }
}

Json group_json(const PageSource& source, const SortedSplit& split, const FoundGroup& group) {
  const Confusion& raw = split.view.views.raw;
  const auto name = [&](Index label) {
    return source.name(raw.labels()[static_cast<std::size_t>(label)]);
  };
  const Index matched = split.view.matching().class_of[static_cast<std::size_t>(group.label)];
  Index right = 0;
  Json mix = Json::array();
  for (const auto& [label, samples] : group.mix) {
    right += label == matched ? samples : 0;
    if (mix.size() < kMixedClasses) {
      mix.push_back(Json::array({name(label), samples}));
    }
  }
  Json items = Json::array();
  const Truth& truth = *split.arm->seeds.front().record->truth();
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    if (group.media[i]) {
      items.push_back({{"sample", truth.name.at(static_cast<std::size_t>(group.members[i]))},
                       {"truth", source.name(truth.label_of(group.members[i]))},
                       {"media", *group.media[i]}});
    }
  }
  return {{"name", name(group.label)},
          {"size", group.size},
          {"mix", std::move(mix)},
          {"classes", group.mix.size()},
          {"matched", matched < 0 ? Json() : Json(name(matched))},
          {"right", right},
          {"items", std::move(items)}};
}

Json split_json(const PageSource& source, const SortedSplit& split, std::size_t& cells_left,
                bool& left_out) {
  const Confusion& raw = split.view.views.raw;
  Json groups = Json::array();
  for (const FoundGroup& group : split.groups) {
    if (groups.size() < kMostGroups) {
      groups.push_back(group_json(source, split, group));
    }
  }
  Json known = Json::array();
  for (std::size_t place = 0; place < split.view.names.size(); ++place) {
    if (split.view.is_known[place] != 0) {
      known.push_back(source.name(split.view.names[place]));
    }
  }
  Json cells = Json::array();
  if (raw.cells().size() <= cells_left && split.groups.size() <= kMostGroups) {
    cells_left -= raw.cells().size();
    for (const auto& [cell, count] : raw.cells()) {
      cells.push_back(source.name(raw.labels()[static_cast<std::size_t>(cell.first)]));
      cells.push_back(source.name(raw.labels()[static_cast<std::size_t>(cell.second)]));
      cells.push_back(count);
    }
  } else {
    left_out = true;
  }
  return {{"arm", split.arm->number},     {"split", split.view.key.split},
          {"samples", split.view.size()}, {"right", split.view.matching().right},
          {"known", std::move(known)},    {"found", split.groups.size()},
          {"groups", std::move(groups)},  {"cells", std::move(cells)}};
}

std::optional<Json> build_categories(const PageSource& source, Progress& progress) {
  std::vector<SortedSplit> splits;
  for (const PageArm& arm : source.arms) {
    const RunRecord& record = *arm.seeds.front().record;
    for (const PhaseKey& key : record.phases()) {
      if (key.phase == "discover" && record.truth() != nullptr) {
        progress.pulse();
        SortedSplit& split = splits.emplace_back();
        split.arm = &arm;
        split.view = view_phase(record.phase(key), truth_of(record));
        split.groups = groups_in(split.view);
      }
    }
  }
  if (splits.empty()) {
    return std::nullopt;
  }
  add_member_pictures(source, splits);
  std::size_t cells_left = kMostCategoryCells;
  bool left_out = false;
  Json all = Json::array();
  for (const SortedSplit& split : splits) {
    all.push_back(split_json(source, split, cells_left, left_out));
  }
  return Json{{"splits", std::move(all)},
              {"note", left_out ? "To keep the page small, some matrices and all but the 500 "
                                  "largest groups are left out."
                                : ""}};
}

}  // namespace

SectionSpec categories_section() {
  return {"categories",
          "Categories",
          "What samples without labels were sorted into: each group is matched with at most one "
          "class, all groups at once, so that as many samples as possible are right.",
          {.phases = {"discover"}},
          17,
          build_categories,
          true};
}

}  // namespace tyto
