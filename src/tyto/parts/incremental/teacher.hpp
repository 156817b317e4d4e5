// SPDX-License-Identifier: Apache-2.0
// The network of the lesson before, whose answers the new one is to keep.
#pragma once

#include <memory>

#include "tyto/nn/network.hpp"

namespace tyto {

class Teacher {
 public:
  // A copy of the network as it is; null: there is none before the first lesson.
  void take(const Network* network) { old_ = network == nullptr ? nullptr : network->copy(); }

  void leave() { old_.reset(); }

  [[nodiscard]] bool is_there() const { return old_ != nullptr; }

  // Its logits for the very rows the new network sees.
  [[nodiscard]] Matrix logits(const Matrix& rows, Index segments) const {
    return old_->forward(rows, segments, nullptr);
  }

 private:
  std::unique_ptr<Network> old_;
};

}  // namespace tyto
