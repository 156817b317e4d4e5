// SPDX-License-Identifier: Apache-2.0
// What travels through the slots for one batch. Filled from top to bottom: a part reads what stands
// above its own columns and says in needs() what it must find there.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tyto/math/neighbours.hpp"
#include "tyto/sample/label_space.hpp"
#include "tyto/sample/samples.hpp"

namespace tyto {

// Nearest rows of three kinds, each found on first use and once for all parts that asked for it in
// needs(). The same sample finds the same neighbours in whatever batch it comes.
struct Neighbourhood : Interface {
  // Among the remembered samples that were fitted on; `row` counts these alone.
  [[nodiscard]] virtual const Neighbours& remembered() = 0;
  // Classes of these samples, by the same count.
  [[nodiscard]] virtual std::span<const Label> remembered_labels() = 0;
  // One column: the nearest remembered one of another class than the nearest. Row -1 and an
  // infinite distance where one class alone is remembered.
  [[nodiscard]] virtual const Neighbours& rivals() = 0;
  // Among the batch, the sample itself left out.
  [[nodiscard]] virtual const Neighbours& batch() = 0;
};

struct Classifier;

struct Frames {              // of samples, one sample after the other
  Matrix features;           // representation; one row per frame
  std::vector<Index> first;  // sample i has rows [first[i], first[i+1])
};

struct Evidence {
  Samples samples;
  Matrix features;             // representation; one row per sample
  Frames frames;               // empty unless some part needs them
  Matrix logits, embedding;    // classifier; embedding may be empty
  std::vector<Label> classes;  // columns of logits and probability; may contain Label::unknown
  // Calibrator, or softmax of the logits: the belief. Detectors read own_probability() instead.
  Matrix probability;
  // Calibrator: log probabilities of the columns of known classes, in their order, given that the
  // sample is known; and the temperature of each sample, if it has one of its own.
  Matrix log_known;
  std::vector<float> temperature;
  std::vector<float> novelty;  // detector; higher is newer
  // From the threshold on held-out known samples; empty as long as there is none.
  std::vector<float> p_value;       // chance of such a novelty in a known sample
  std::vector<std::uint8_t> novel;  // 1: beyond the threshold
  Index held = 0;                   // held-out samples behind the p-values: 1 / (held + 1) is least
  Matrix membership;                // recogniser: log scores, on the scale of the logits if joint
  // Columns of membership: discovered classes, and known ones where the recogniser tells these too
  // (fusion: groups). Label::unknown is the catch-all.
  std::vector<Label> groups;
  std::shared_ptr<Neighbourhood> near;     // null unless some part needs neighbours
  const Classifier* classifier = nullptr;  // borrowed, for those who need its head or gradients

  [[nodiscard]] Index size() const { return samples.size(); }
};

}  // namespace tyto
