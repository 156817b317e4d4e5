// SPDX-License-Identifier: Apache-2.0
// What classifier, calibrator and detector said of blocks of samples, until one of them changes:
// the same blocks are observed, predicted, offered for labelling and, if nothing was learned,
// predicted again.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>

#include "tyto/parts/evidence.hpp"

namespace tyto {

// A block is told by a 64-bit hash of its ids and features, and is known as a whole or not at all:
// a product may round a row otherwise in another block. So what comes from here is, to the bit,
// what working it out again would give. Thread safe; the oldest blocks make room.
class ScoreCache {
 public:
  static std::uint64_t key_of(const Evidence& block);  // of its samples and features

  // Fills in the scores; false: they are not known.
  bool fill(std::uint64_t key, Evidence& evidence);
  // `calibrated`: the probabilities are not the softmax of the logits, so that they are kept too.
  void keep(std::uint64_t key, const Evidence& evidence, bool calibrated);

  void forget();

 private:
  struct Block {
    std::uint64_t key = 0;
    Index bytes = 0;
    Evidence scores;  // without samples and features
  };

  std::mutex mutex_;
  std::list<Block> blocks_;  // the newest last
  Index bytes_ = 0;
};

}  // namespace tyto
