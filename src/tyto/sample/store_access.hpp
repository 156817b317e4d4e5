// SPDX-License-Identifier: Apache-2.0
// The key to what lies behind samples. Whoever holds it can gather rows of the future and read the
// order of a file, which tells classes wherever a file is sorted; so no part may include this
// header. tools/check_layers.py has the list of those who may.
#pragma once

#include "tyto/sample/samples.hpp"

namespace tyto {

class StoreAccess {
 public:
  static const std::shared_ptr<const FeatureStore>& store(const Samples& samples) {
    return samples.store_;
  }

  // Rows of the store that hold the frames of sample i, in time order.
  static Rows rows(const Samples& samples, Index i) { return samples.frames(i); }
};

}  // namespace tyto
