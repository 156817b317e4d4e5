// SPDX-License-Identifier: Apache-2.0
// What travels through the slots for one batch. Filled from top to bottom: a part reads what stands
// above its own columns and says in needs() what it must find there.
#pragma once

#include <memory>
#include <vector>

#include "tyto/math/neighbours.hpp"
#include "tyto/sample/label_space.hpp"
#include "tyto/sample/samples.hpp"

namespace tyto {

// Nearest remembered fit samples, found once for all parts that asked for them in needs().
struct Neighbourhood : Interface {
  [[nodiscard]] virtual const Neighbours& remembered() = 0;
};

struct Evidence {
  Samples samples;
  Matrix features;             // representation; one row per sample
  Matrix logits, embedding;    // classifier; embedding may be empty
  std::vector<Label> classes;  // columns of logits and probability; may contain Label::unknown
  Matrix probability;          // calibrator, or softmax of the logits
  std::vector<float> novelty;  // detector; higher is newer
  Matrix membership;           // recogniser: log scores, on the scale of the logits if joint
  std::vector<Label> groups;   // columns of membership; Label::unknown is the catch-all
  std::shared_ptr<Neighbourhood> near;  // null unless some part needs neighbours

  [[nodiscard]] Index size() const { return samples.size(); }
};

}  // namespace tyto
