// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {

namespace {

template <class Interface>
void put(Interface*& slot, const std::shared_ptr<Part>& part) {
  slot = dynamic_cast<Interface*>(part.get());
  TYTO_ASSERT(slot != nullptr);
}

}  // namespace

void Parts::fill(Slot slot, std::shared_ptr<Part> part) {
  switch (slot) {
    case Slot::representation: put(representation, part); break;
    case Slot::classifier: put(classifier, part); break;
    case Slot::calibrator: put(calibrator, part); break;
    case Slot::detector: put(detector, part); break;
    case Slot::recogniser: put(recogniser, part); break;
    case Slot::alarm: put(alarm, part); break;
    case Slot::feedback: put(feedback, part); break;
    case Slot::memory: put(memory, part); break;
  }
  const Needs needs = part->needs();
  neighbours = std::max(neighbours, needs.neighbours);
  batch_neighbours = std::max(batch_neighbours, needs.batch_neighbours);
  rivals = rivals || needs.rivals;
  frames = frames || needs.frames;
  sources = sources || !needs.sources.empty();
  owned.insert_or_assign(slot, std::move(part));
}

bool Parts::scores_before_keeping() const {
  if (classifier == nullptr) {
    return false;
  }
  const Needs needs = owned.at(Slot::classifier)->needs();
  return needs.neighbours == 0 && !needs.rivals;
}

bool Parts::detector_reads_scores() const {
  if (classifier == nullptr || detector == nullptr) {
    return false;
  }
  const std::shared_ptr<Part>& part = owned.at(Slot::detector);
  const Needs needs = part->needs();
  return needs.classifier || needs.embedding || needs.head || needs.gradient ||
         detector_space != Space::features || part == owned.at(Slot::classifier);
}

void Parts::check() const {
  const auto refuse = [](Slot slot, std::string_view what) {
    throw Error(ErrorKind::config,
                fmt::format("the part in the slot {} needs {}", slot_name(slot), what));
  };
  const auto expect = [&](Slot slot, std::string_view what, bool (Classifier::*can)() const) {
    if (classifier == nullptr || !(classifier->*can)()) {
      refuse(slot, fmt::format("{}, but the slot classifier {}; these can: {}", what,
                               classifier == nullptr ? "is empty" : "holds one that cannot",
                               fmt::join(classifiers_that(can), ", ")));
    }
  };
  for (const auto& [slot, part] : owned) {
    const Needs needs = part->needs();
    if (needs.classifier && classifier == nullptr) {
      refuse(slot, "class scores, but the slot classifier is empty");
    }
    if (needs.detector && detector == nullptr) {
      refuse(slot, "novelty scores, but the slot detector is empty");
    }
    if (needs.head) {
      expect(slot, "a classifier that can give its linear last layer", &Classifier::has_head);
    }
    if (needs.gradient) {
      expect(slot, "a classifier that can give gradients", &Classifier::has_gradient);
    }
    if (needs.embedding) {
      expect(slot, "a classifier that can give an embedding", &Classifier::has_embedding);
    }
    if ((needs.neighbours > 0 || needs.rivals) && memory == nullptr) {
      refuse(slot, "remembered samples, but the slot memory is empty");
    }
    if (slot == Slot::memory && (needs.classifier || needs.embedding) && !scores_before_keeping()) {
      refuse(slot,
             "class scores before it keeps anything, but the classifier looks up remembered "
             "neighbours");
    }
  }
  for (const auto& [slot, space] :
       {std::pair(Slot::detector, detector_space), {Slot::recogniser, recogniser_space}}) {
    if (space == Space::features) {
      continue;
    }
    const Needs needs = owned.at(slot)->needs();
    if (needs.classifier || needs.embedding || needs.head || needs.gradient || needs.frames ||
        !needs.sources.empty()) {
      throw Error(ErrorKind::config,
                  fmt::format("the part in the slot {} looks at more than the rows of samples (the "
                              "classifier's scores, frames or another source), so that space: {} "
                              "cannot be chosen for it",
                              slot_name(slot), space_name(space)));
    }
    if (classifier == nullptr) {
      refuse(slot, fmt::format("what a classifier makes of the features (space: {}), but the slot "
                               "classifier is empty",
                               space_name(space)));
    }
    if (space == Space::embedding) {
      expect(slot, "a classifier that can give an embedding (space: embedding)",
             &Classifier::has_embedding);
    }
    if (memory == nullptr) {
      refuse(slot, fmt::format("remembered samples, since the classifier's {} move with every "
                               "lesson, but the slot memory is empty",
                               space == Space::logits ? "logits" : "embeddings"));
    }
  }
  if (calibrator != nullptr && classifier == nullptr) {
    refuse(Slot::calibrator, "class scores, but the slot classifier is empty");
  }
}

}  // namespace tyto
