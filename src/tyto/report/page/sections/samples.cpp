// SPDX-License-Identifier: Apache-2.0
// A gallery: alarms, misses, mistakes and discovered classes, with pictures where there are any.
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/report/page/json.hpp"
#include "tyto/report/page/pictures/base64.hpp"
#include "tyto/report/page/pictures/gallery.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostItems = 24;         // of a shelf
constexpr std::size_t kMostClasses = 12;       // discovered ones of an arm
constexpr std::size_t kLargest = 20'000;       // bytes of a picture
constexpr std::size_t kMostBytes = 2'000'000;  // of all pictures of a page

// Pictures, each once. What would make the page too large is left out and counted.
class Media {
 public:
  // Its place in the list, or null.
  Json of(const PageRun& run, SampleId sample) {
    if (!run.samples.picture || is_gone_[run.number]) {
      return nullptr;
    }
    const auto [found, is_new] = places_.try_emplace({run.number, sample}, nullptr);
    if (is_new) {
      std::optional<std::string> bytes;
      try {
        bytes = run.samples.picture(sample, kLargest);
      } catch (const Error&) {
        is_gone_[run.number] = true;
      }
      if (bytes && fits(*bytes)) {
        found->second = list_.size();
        total_ += bytes->size();
        list_.push_back(fmt::format("data:image/{};base64,{}",
                                    bytes->starts_with("\x89PNG") ? "png" : "jpeg",
                                    base64(*bytes)));
      } else if (bytes) {
        left_out_.emplace(run.number, sample);
      }
    }
    return found->second;
  }

  [[nodiscard]] bool left_out(const PageRun& run, SampleId sample) const {
    return left_out_.contains({run.number, sample});
  }

  [[nodiscard]] Json list() && { return std::move(list_); }

 private:
  [[nodiscard]] bool fits(const std::string& bytes) const {
    return !bytes.empty() && bytes.size() <= kLargest && total_ + bytes.size() <= kMostBytes;
  }

  using Place = std::pair<Index, SampleId>;  // run, sample
  Json list_ = Json::array();
  std::map<Place, Json> places_;
  std::set<Place> left_out_;
  std::map<Index, bool> is_gone_;  // by run
  std::size_t total_ = 0;
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

Json shelf_json(const PageSource& source, const PageArm& arm, const GalleryShelf& shelf,
                Media& media) {
  const PageRun& run = source.run_of(arm);
  const bool same_samples = arm.seeds.front().seed == 0;  // pictures are of the first seed
  Json items = Json::array();
  Index left_out = 0;
  for (const GalleryItem& item : shelf.items) {
    Json picture = same_samples ? media.of(run, item.sample) : Json();
    left_out += picture.is_null() && media.left_out(run, item.sample);
    items.push_back(item_json(source, item, std::move(picture)));
  }
  std::string about = fmt::format("{} {} of {}.", shelf.about, shelf.items.size(), shelf.samples);
  if (left_out > 0) {
    about += fmt::format(" {} {} left out to keep the page small (20 kB each, 2 MB in all).",
                         left_out, left_out == 1 ? "picture was" : "pictures were");
  }
  return {{"arm", arm.number},
          {"kind", shelf.kind},
          {"title", shelf.title},
          {"about", about},
          {"items", std::move(items)}};
}

std::optional<Json> build_samples(const PageSource& source, Progress& progress) {
  Media media;
  Json shelves = Json::array();
  for (const PageArm& arm : source.arms) {
    const RunRecord& record = *arm.seeds.front().record;
    if (record.truth() == nullptr) {
      continue;
    }
    for (const GalleryShelf& shelf : gallery_of(record, kMostItems, kMostClasses, progress)) {
      shelves.push_back(shelf_json(source, arm, shelf, media));
    }
  }
  if (shelves.empty()) {
    return std::nullopt;
  }
  return Json{{"media", std::move(media).list()}, {"shelves", std::move(shelves)}};
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
