// SPDX-License-Identifier: Apache-2.0
// Classifiers that settle something by held-out samples, and how they settle it by those of others
// of their kind.
#pragma once

#include <span>
#include <vector>

#include "tyto/parts/slots.hpp"

namespace tyto {

// A classifier that learned all but some of the samples; these are held out of the experience.
struct FoldedClassifier {
  Classifier* classifier = nullptr;
  const Experience* experience =
      nullptr;  // with neighbours as that classifier's predictor has them
};

class PooledWeights {
 public:
  virtual ~PooledWeights() = default;
  // `folds` are made as this one. What this one settles by held-out samples then rests on all that
  // the folds held out; what a fold settles, on what the others did, so that it says of its own
  // what this one will say of samples to come.
  virtual void weigh_together(std::span<const FoldedClassifier> folds) = 0;
};

std::vector<FoldedClassifier> all_but(std::span<const FoldedClassifier> folds, std::size_t one);

struct HeldLogits {
  Matrix logits;             // a column for each class that some fold knows
  std::vector<Index> truth;  // column of each row's class
};

// What each says of the rows it held out and whose class it knows; a class that it does not know
// has the score -infinity.
HeldLogits held_logits(std::span<const FoldedClassifier> folds);

}  // namespace tyto
