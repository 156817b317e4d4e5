// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/page/page.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/report/page/pictures/base64.hpp"
#include "tyto/report/page/section.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;  // of web/src/data.ts

Json runs_json(const PageSource& source) {
  Json runs = Json::array();
  for (const PageRun& run : source.runs) {
    runs.push_back(
        {{"name", run.name}, {"folder", run.folder}, {"done", run.done}, {"repeat", run.repeat}});
  }
  return runs;
}

Json arms_json(const PageSource& source) {
  Json arms = Json::array();
  for (const PageArm& arm : source.arms) {
    Json seeds = Json::array();
    for (const PageArm::OfSeed& seed : arm.seeds) {
      seeds.push_back(source.seed_of(arm, seed).seed);
    }
    arms.push_back({{"run", source.run_of(arm).number},
                    {"name", arm.name},
                    {"predictor", arm.predictor},
                    {"feedback", arm.feedback},
                    {"seeds", seeds}});
  }
  return arms;
}

Json media_json(const PictureList& pictures) {
  Json media = Json::array();
  for (const PictureList::Entry& entry : pictures.all()) {
    const bool is_png = entry.picture.bytes.starts_with("\x89PNG");
    media.push_back({{"run", entry.run},
                     {"sample", entry.sample},
                     {"frames", entry.picture.frames},
                     {"drawn", entry.picture.drawn},
                     {"uri", fmt::format("data:image/{};base64,{}", is_png ? "png" : "jpeg",
                                         base64(entry.picture.bytes))}});
  }
  return media;
}

std::string about_text(const SectionSpec& spec, const PageSource& source) {
  std::string text = spec.about;
  if (const auto at = text.find(kRepeats); at != text.npos) {
    text.replace(at, kRepeats.size(), source.repeats());
  }
  const bool several = std::any_of(source.arms.begin(), source.arms.end(),
                                   [](const PageArm& arm) { return arm.seeds.size() > 1; });
  if (spec.first_seed && several) {
    text += fmt::format(" Of a run with several {}, the first is shown.", source.repeats());
  }
  return text;
}

Json sections_json(const PageSource& source, Progress& progress) {
  const auto specs = section_specs();
  progress.begin("report", static_cast<double>(specs.size()));
  Json sections = Json::array();
  for (const SectionSpec& spec : specs) {
    progress.note(spec.kind);
    const PageSource own = source.only(spec.needs);
    if (!own.runs.empty()) {
      if (auto data = spec.build(own, progress)) {
        sections.push_back({{"kind", spec.kind},
                            {"title", spec.title},
                            {"about", about_text(spec, own)},
                            {"data", std::move(*data)}});
      }
    }
    progress.advance(1);
  }
  progress.end();
  return sections;
}

}  // namespace

Json page_json(const PageSource& source, Progress& progress) {
  Json sections = sections_json(source, progress);  // first: they gather names and pictures
  return {{"format", kFormat},
          {"title", source.title},
          {"version", source.version},
          {"revision", source.revision},
          {"live", source.live},
          {"runs", runs_json(source)},
          {"arms", arms_json(source)},
          {"names", source.names->all()},
          {"media", media_json(*source.pictures)},
          {"sections", std::move(sections)}};
}

std::string page_data(const PageSource& source, Progress& progress) {
  return gzip(page_json(source, progress).dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string page_html(std::string_view data) {
  const std::string_view app = page_template();
  const auto at = app.find(std::string(kPageMark) + std::string(kPagePlace));
  TYTO_ASSERT(at != app.npos);
  std::string html(app.substr(0, at + kPageMark.size()));
  html += base64(data);
  html += app.substr(at + kPageMark.size() + kPagePlace.size());
  return html;
}

bool is_page(std::string_view html) {
  return html.find(kPageMark) != html.npos;
}

}  // namespace tyto
