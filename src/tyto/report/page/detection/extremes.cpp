// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/detection/extremes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/pictures/base64.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kExtremeItems = 18;          // of a shelf
constexpr std::size_t kExtremePictures = 600'000;  // bytes of a page
constexpr std::size_t kMostHeat = 200'000;         // squares of a page

struct HeatScale {  // of all pictures of an arm, so that they can be compared
  float low = std::numeric_limits<float>::infinity(), high = -low;

  void add(const PictureHeat& heat) {
    low = std::min(low, heat.errors.minCoeff());
    high = std::max(high, heat.errors.maxCoeff());
  }
};

Json heat_json(const PictureHeat& heat, const HeatScale& scale) {
  std::string bytes;
  const float reach = scale.high > scale.low ? scale.high - scale.low : 1.0F;
  for (Index i = 0; i < heat.errors.size(); ++i) {
    bytes += static_cast<char>(std::lround(255.0F * (heat.errors.data()[i] - scale.low) / reach));
  }
  return {{"height", heat.height},
          {"width", heat.width},
          {"cell", heat.cell},
          {"rows", heat.errors.rows()},
          {"columns", heat.errors.cols()},
          {"errors", base64(bytes)},
          {"worst", Json::array({heat.top, heat.left, heat.patch})}};
}

}  // namespace

std::vector<Index> extreme_rows(const JudgedArm& arm, const Truth& truth, ExtremeKind kind,
                                std::size_t most) {
  const bool novel = kind != ExtremeKind::false_alarm;
  std::vector<Index> order(arm.test.score.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto score = [&](Index row) { return arm.test.score[static_cast<std::size_t>(row)]; };
  std::erase_if(order, [&](Index row) {
    return (arm.test.is_novel[static_cast<std::size_t>(row)] != 0) != novel;
  });
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return kind == ExtremeKind::missed ? score(a) < score(b) : score(a) > score(b);
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
  for (const ExtremeKind kind :
       {ExtremeKind::missed, ExtremeKind::false_alarm, ExtremeKind::found}) {
    Shelf shelf{&arm, kind, {}};
    for (const Index row : extreme_rows(judged, truth, kind, kExtremeItems)) {
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

void ExtremeGallery::add_heat() {
  std::size_t squares = 0;
  for (Shelf& shelf : shelves_) {
    const SampleData& samples = source_.run_of(*shelf.arm).samples;
    if (!samples.heat || shelf.arm->seeds.front().seed != 0) {
      continue;
    }
    std::vector<SampleId> wanted;
    for (const Item& item : shelf.items) {
      wanted.push_back(item.sample);
    }
    try {
      shelf.heat = samples.heat(shelf.arm->name, wanted);
    } catch (const Error&) {  // the data, or what was learned, are gone
      shelf.heat.clear();
    }
    for (std::optional<PictureHeat>& heat : shelf.heat) {
      squares += heat ? static_cast<std::size_t>(heat->errors.size()) : 0;
      if (squares > kMostHeat) {
        heat.reset();
      }
    }
  }
  std::erase_if(shelves_, [](const Shelf& shelf) {
    return shelf.kind == ExtremeKind::found &&
           std::none_of(shelf.heat.begin(), shelf.heat.end(),
                        [](const auto& heat) { return heat.has_value(); });
  });
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
  add_heat();
  add_pictures();
  std::map<const PageArm*, HeatScale> scales;
  for (const Shelf& shelf : shelves_) {
    for (const std::optional<PictureHeat>& heat : shelf.heat) {
      if (heat) {
        scales[shelf.arm].add(*heat);
      }
    }
  }
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
      if (i < shelf.heat.size() && shelf.heat[i]) {
        items.back()["heat"] = heat_json(*shelf.heat[i], scales[shelf.arm]);
      }
    }
    all.push_back({{"arm", shelf.arm->number},
                   {"novel", shelf.kind != ExtremeKind::false_alarm},
                   {"found", shelf.kind == ExtremeKind::found},
                   {"items", std::move(items)}});
  }
  return all;
}

}  // namespace tyto
