// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/formulas/false_novelty.hpp"

#include "tyto/sample/label_space.hpp"

namespace tyto {

namespace {

using Count = Confusion::Count;

std::optional<double> share(Count part, Count whole) {
  if (whole == 0) {
    return std::nullopt;
  }
  return static_cast<double>(part) / static_cast<double>(whole);
}

struct Detected {
  Count hits, misses, false_alarms, passed;
};

Detected detected(const Confusion& detection) {
  return {detection.count(kUnknownName, kUnknownName), detection.count(kUnknownName, kKnownName),
          detection.count(kKnownName, kUnknownName), detection.count(kKnownName, kKnownName)};
}

struct Named {
  Count right = 0, wrong = 0, called_novel = 0;  // samples of known classes
};

Named named(const Confusion& classification) {
  const auto unknown = classification.find(kUnknownName);
  Named made;
  for (const auto& [cell, count] : classification.cells()) {
    if (cell.first == unknown) {
      continue;
    }
    if (cell.first == cell.second) {
      made.right += count;
    } else if (cell.second == unknown) {
      made.called_novel += count;
    } else {
      made.wrong += count;
    }
  }
  return made;
}

}  // namespace

std::optional<double> false_alarm_rate(const Confusion& detection) {
  const Detected n = detected(detection);
  return share(n.false_alarms, n.false_alarms + n.passed);
}

std::optional<double> detection_rate(const Confusion& detection) {
  const Detected n = detected(detection);
  return share(n.hits, n.hits + n.misses);
}

std::optional<double> alarm_precision(const Confusion& detection) {
  const Detected n = detected(detection);
  return share(n.hits, n.hits + n.false_alarms);
}

std::optional<double> known_accuracy(const Confusion& classification) {
  const Named n = named(classification);
  return share(n.right, n.right + n.wrong + n.called_novel);
}

std::optional<double> accepted_accuracy(const Confusion& classification) {
  const Named n = named(classification);
  return share(n.right, n.right + n.wrong);
}

}  // namespace tyto
