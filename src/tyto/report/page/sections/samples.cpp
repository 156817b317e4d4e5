// SPDX-License-Identifier: Apache-2.0
// A gallery: alarms, misses, mistakes and discovered classes, with pictures where there are any.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/report/page/json.hpp"
#include "tyto/report/page/pictures/gallery.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostItems = 24;    // of a shelf
constexpr std::size_t kMostClasses = 12;  // discovered ones of an arm
constexpr std::size_t kSeenAtOnce = 4;    // of a shelf: web/src/sections/samples.ts shows so many

struct ArmShelf {
  const PageArm* arm = nullptr;
  GalleryShelf shelf;
  std::vector<Json> media;  // by item: the number of its picture, or null
};

Json item_json(const PageSource& source, const GalleryItem& item, Json media) {
  Json top = Json::array();
  for (const auto& [name, probability] : item.top) {
    top.push_back(Json::array({source.name(name), json_number(probability)}));
  }
  return {{"sample", item.name},
          {"step", item.step},
          {"truth", source.name(item.truth)},
          {"top", std::move(top)},
          {"novelty", json_number(item.novelty)},
          {"p_value", json_number(item.p_value)},
          {"media", std::move(media)}};
}

PictureWish wish_of(const GalleryItem& item) {
  return {.sample = item.sample};
}

// What every shelf shows at once comes before what it shows on demand.
void add_pictures(const PageSource& source, std::vector<ArmShelf>& shelves) {
  PictureShare share;
  for (const bool at_once : {true, false}) {
    for (ArmShelf& one : shelves) {
      one.media.resize(one.shelf.items.size());
      if (one.arm->seeds.front().seed != 0) {
        continue;  // pictures are of the first seed
      }
      const Truth& truth = *one.arm->seeds.front().record->truth();
      for (std::size_t i = 0; i < one.media.size(); ++i) {
        if ((i < kSeenAtOnce) != at_once) {
          continue;
        }
        if (const auto place = source.picture(source.run_of(*one.arm), truth,
                                              wish_of(one.shelf.items[i]), share)) {
          one.media[i] = *place;
        }
      }
    }
  }
}

Json shelf_json(const PageSource& source, const ArmShelf& one) {
  const Index run = source.run_of(*one.arm).number;
  Json items = Json::array();
  Index left_out = 0;
  for (std::size_t i = 0; i < one.media.size(); ++i) {
    const GalleryItem& item = one.shelf.items[i];
    left_out += one.media[i].is_null() && source.pictures->left_out(run, wish_of(item));
    items.push_back(item_json(source, item, one.media[i]));
  }
  return {{"arm", one.arm->number},
          {"kind", one.shelf.kind},
          {"title", one.shelf.title},
          {"about", fmt::format("{} {} of {}.{}", one.shelf.about, one.shelf.items.size(),
                                one.shelf.samples, left_out_text(left_out))},
          {"items", std::move(items)}};
}

std::optional<Json> build_samples(const PageSource& source, Progress& progress) {
  std::vector<ArmShelf> all;
  for (const PageArm& arm : source.arms) {
    const RunRecord& record = *arm.seeds.front().record;
    if (record.truth() == nullptr) {
      continue;
    }
    for (GalleryShelf& shelf : gallery_of(record, kMostItems, kMostClasses, progress)) {
      all.push_back({&arm, std::move(shelf), {}});
    }
  }
  if (all.empty()) {
    return std::nullopt;
  }
  add_pictures(source, all);
  Json shelves = Json::array();
  for (const ArmShelf& one : all) {
    shelves.push_back(shelf_json(source, one));
  }
  return Json{{"shelves", std::move(shelves)}};
}

}  // namespace

SectionSpec samples_section() {
  return {"samples",
          "Samples",
          "Test samples worth a look, before feedback: what was noticed, missed, mistaken and "
          "discovered.",
          {.phases = {"pre"}},
          65,
          build_samples,
          true};
}

}  // namespace tyto
