// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/views.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

std::string_view view_name(View view) {
  static constexpr std::array<std::string_view, 4> kNames{"raw", "classification", "detection",
                                                          "recognition"};
  return kNames.at(static_cast<std::size_t>(view));
}

std::string novel_to_name(NovelTo reference) {
  if (reference.whom == NovelTo::Whom::predictor) {
    return "predictor";
  }
  return reference.again_after == 0 ? "evaluator"
                                    : fmt::format("evaluator_again_{}", reference.again_after);
}

std::vector<NovelTo> references(Index again_after) {
  std::vector<NovelTo> all{NovelTo::predictor, NovelTo::evaluator};
  if (again_after > 0) {
    all.push_back(NovelTo::again(again_after));
  }
  return all;
}

const Confusion& Views::of(View view) const {
  switch (view) {
    case View::raw: return raw;
    case View::classification: return classification;
    case View::detection: return detection;
    case View::recognition: return recognition;
  }
  TYTO_ASSERT(false);
  return raw;
}

void Views::merge(const Views& other) {
  raw.merge(other.raw);
  classification.merge(other.classification);
  detection.merge(other.detection);
  recognition.merge(other.recognition);
}

Views make_views(std::span<const std::string> names, std::span<const std::uint8_t> is_known,
                 const Confusion::Cells& cells) {
  TYTO_ASSERT(names.size() == is_known.size());
  using Names = std::vector<std::string_view>;
  const Names raw(names.begin(), names.end());
  Names classification = raw;
  Names detection = raw;
  Names recognition = raw;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_known[i] == 0) {
      classification[i] = detection[i] = kUnknownName;
      if (names[i] == kKnownName) {
        throw Error(ErrorKind::data,
                    fmt::format("classes cannot be merged into \"{}\": a class outside the known "
                                "set has that name",
                                kKnownName));
      }
    } else {
      detection[i] = recognition[i] = kKnownName;
    }
  }
  for (Names* view : {&classification, &detection, &recognition}) {
    view->push_back(kUnknownName);
  }
  for (Names* view : {&detection, &recognition}) {
    view->push_back(kKnownName);
  }
  return {Confusion::from(raw, cells), Confusion::from(classification, cells),
          Confusion::from(detection, cells), Confusion::from(recognition, cells)};
}

Views make_views(const Confusion& raw, std::span<const std::string> known) {
  const std::set<std::string, std::less<>> known_set(known.begin(), known.end());
  std::vector<std::uint8_t> is_known;
  for (const std::string& label : raw.labels()) {
    is_known.push_back(
        static_cast<std::uint8_t>(label != kUnknownName && known_set.contains(label)));
  }
  return make_views(raw.labels(), is_known, raw.cells());
}

}  // namespace tyto
