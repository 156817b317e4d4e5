// SPDX-License-Identifier: Apache-2.0
// Detectors that bring several scores to one scale by the held-out samples, and how they take those
// of others of their kind for it.
#pragma once

#include <span>
#include <vector>

#include "tyto/parts/slots.hpp"

namespace tyto {

class PooledScale {
 public:
  virtual ~PooledScale() = default;
  // `folds` are detectors made as this one, each profiled without the samples it held out. From now
  // on all these samples stand for the held-out ones of this detector. Gives their novelty, fold
  // by fold.
  virtual std::vector<float> pool(std::span<const Detector* const> folds) = 0;
};

}  // namespace tyto
