// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/detection/extremes.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <nlohmann/json.hpp>

#include "tyto/report/page/json.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kExtremeItems = 18;          // of a shelf
constexpr std::size_t kExtremePictures = 600'000;  // bytes of a page

}  // namespace

std::vector<Index> extreme_rows(const JudgedArm& arm, const Truth& truth, bool novel,
                                std::size_t most) {
  std::vector<Index> order(arm.test.score.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto score = [&](Index row) { return arm.test.score[static_cast<std::size_t>(row)]; };
  std::erase_if(order, [&](Index row) {
    return (arm.test.is_novel[static_cast<std::size_t>(row)] != 0) != novel;
  });
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return novel ? score(a) < score(b) : score(a) > score(b);
  });
  std::set<std::string_view> seen;
  std::vector<Index> rows;
  for (const Index row : order) {
    const auto id = static_cast<std::size_t>(arm.view.sample[static_cast<std::size_t>(row)]);
    const std::string_view group =
        truth.group.empty() ? std::string_view{} : std::string_view(truth.group[id]);
    if (rows.size() < most && (group.empty() || seen.insert(group).second)) {
      rows.push_back(row);
    }
  }
  return rows;
}

void ExtremeGallery::add(const PageArm& arm, const JudgedArm& judged) {
  const Truth& truth = *arm.seeds.front().record->truth();
  for (const bool novel : {true, false}) {
    Shelf shelf{&arm, novel, {}};
    for (const Index row : extreme_rows(judged, truth, novel, kExtremeItems)) {
      shelf.items.push_back({judged.view.sample[static_cast<std::size_t>(row)],
                             judged.view.decision_name(row),
                             judged.test.score[static_cast<std::size_t>(row)]});
    }
    if (!shelf.items.empty()) {
      shelf.media.resize(shelf.items.size());
      shelves_.push_back(std::move(shelf));
    }
  }
}

// The first of every shelf before the second of any.
void ExtremeGallery::add_pictures() {
  PictureShare share{kExtremePictures};
  for (std::size_t depth = 0; depth < kExtremeItems; ++depth) {
    for (Shelf& shelf : shelves_) {
      if (depth < shelf.items.size() && shelf.arm->seeds.front().seed == 0) {
        shelf.media[depth] =
            source_.picture(source_.run_of(*shelf.arm), *shelf.arm->seeds.front().record->truth(),
                            {.sample = shelf.items[depth].sample}, share);
      }
    }
  }
}

Json ExtremeGallery::json() {
  add_pictures();
  Json all = Json::array();
  for (const Shelf& shelf : shelves_) {
    const Truth& truth = *shelf.arm->seeds.front().record->truth();
    Json items = Json::array();
    for (std::size_t i = 0; i < shelf.items.size(); ++i) {
      const Item& item = shelf.items[i];
      const auto id = static_cast<std::size_t>(item.sample);
      items.push_back({{"sample", truth.name.at(id)},
                       {"group", truth.group.empty() ? "" : truth.group.at(id)},
                       {"truth", source_.name(truth.label_of(item.sample))},
                       {"said", source_.name(item.said)},
                       {"score", json_number(item.score)},
                       {"media", shelf.media[i] ? Json(*shelf.media[i]) : Json()}});
    }
    all.push_back(
        {{"arm", shelf.arm->number}, {"novel", shelf.novel}, {"items", std::move(items)}});
  }
  return all;
}

}  // namespace tyto
