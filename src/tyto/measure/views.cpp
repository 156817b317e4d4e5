// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/views.hpp"

#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/sample/label_space.hpp"

namespace tyto {

std::string_view view_name(View view) {
  static constexpr std::array<std::string_view, 4> kNames{"raw", "classification", "detection",
                                                          "recognition"};
  return kNames.at(static_cast<std::size_t>(view));
}

std::string_view novel_to_name(NovelTo reference) {
  return reference == NovelTo::predictor ? "predictor" : "evaluator";
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
  Views views{Confusion::from(raw, cells), Confusion::from(classification, cells),
              Confusion::from(detection, cells), Confusion::from(recognition, cells)};
  for (Confusion* matrix : {&views.classification, &views.detection, &views.recognition}) {
    matrix->add_label(kUnknownName);
  }
  for (Confusion* matrix : {&views.detection, &views.recognition}) {
    matrix->add_label(kKnownName);
  }
  return views;
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
