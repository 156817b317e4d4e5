// SPDX-License-Identifier: Apache-2.0
// The parts of a predictor, each in its slots.
#pragma once

#include <map>
#include <memory>

#include "tyto/parts/slots.hpp"
#include "tyto/predictor/config.hpp"

namespace tyto {

// The objects in the slots; one object may stand in several.
struct Parts {
  std::map<Slot, std::shared_ptr<Part>> owned;  // by the slot that names it
  Representation* representation = nullptr;
  Classifier* classifier = nullptr;
  Calibrator* calibrator = nullptr;
  Detector* detector = nullptr;
  Recogniser* recogniser = nullptr;
  Alarm* alarm = nullptr;
  Requester* feedback = nullptr;
  Memory* memory = nullptr;
  Index neighbours = 0, batch_neighbours = 0;  // the most that any part needs
  bool rivals = false, frames = false;         // some part does
  bool sources = false;                        // some part reads other ones of the samples
  Space detector_space = Space::features, recogniser_space = Space::features;  // they look at

  void fill(Slot slot, std::shared_ptr<Part> part);
  // May class scores be had before the memory has taken in a lesson? Not where the classifier looks
  // up its neighbours there.
  [[nodiscard]] bool scores_before_keeping() const;
  // Does the detector look at class scores, or at what else classify leaves in the evidence? One
  // that is the classifier too may, whatever it says it needs.
  [[nodiscard]] bool detector_reads_scores() const;
  // Throws Error(config) with a sentence on what a part needs and nobody gives.
  void check() const;
};

}  // namespace tyto
