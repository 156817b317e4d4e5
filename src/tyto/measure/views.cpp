// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/views.hpp"

#include <set>
#include <utility>
#include <vector>

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

Views make_views(Confusion raw, std::span<const std::string> known) {
  std::set<std::string, std::less<>> known_set(known.begin(), known.end());
  known_set.erase(std::string(kUnknownName));
  const std::vector<std::string> known_names(known_set.begin(), known_set.end());
  std::vector<std::string> unknown_names{std::string(kUnknownName)};
  for (const std::string& label : raw.labels()) {
    if (!known_set.contains(label)) {
      unknown_names.push_back(label);
    }
  }
  Views views;
  views.classification = raw.reduced(unknown_names, kUnknownName);
  views.detection = views.classification.reduced(known_names, kKnownName);
  views.recognition = raw.reduced(known_names, kKnownName);
  views.recognition.add_label(kUnknownName);
  views.raw = std::move(raw);
  return views;
}

}  // namespace tyto
