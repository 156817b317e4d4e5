// SPDX-License-Identifier: Apache-2.0
// From evidence to one prediction: novel or not at a stated error, then which class.
#pragma once

#include <memory>
#include <vector>

#include "tyto/parts/evidence.hpp"
#include "tyto/sample/prediction.hpp"

namespace tyto {

enum class Fusion { soft, flag, joint, groups };

// Where novelty begins: above `value`. The threshold stands at the accepted error on held-out
// samples of known classes.
struct Threshold {
  float value = 0;
  float scale = 1;          // of the logistic that grades novelty around it
  std::vector<float> held;  // novelty of the held-out samples, ascending; for p-values
  // What each of them counts; their mean is 1. Empty: all alike.
  std::vector<float> weight;

  // Chance of such a novelty in a known sample. O(log n).
  [[nodiscard]] float p_value(float novelty) const;
  void sum_weights();  // after `weight` was set

 private:
  std::vector<float> from_;  // weight of held[i] and all after it
};

// value = the k-th smallest of n held-out scores, k = ceil((n + 1)(1 - error)) or n if that is
// more: a known sample exchangeable with them is called novel with probability <= error when
// (n + 1) error >= 1. With weights, k counts weight and the sample to come has the mean one.
// scale: the median held-out sample is graded 0.1.
Threshold threshold_at(std::vector<float> held, double accepted_error,
                       std::vector<float> weight = {});

// The same grading around a detector's own threshold.
Threshold threshold_given(std::vector<float> held, float value, std::vector<float> weight = {});

// Fills p_value and novel of evidence that has a novelty.
void judge(Evidence& evidence, const Threshold& threshold);

// soft: row = (1 - u) probability on classes, u on groups by softmax(membership), or on `unknown`
// without a recogniser; u is the logistic of (novelty - threshold) / scale, 1/2 at the threshold.
// flag: rows above the threshold put their greatest probability p on `unknown` and scale the rest
// by 1 - p. joint: one softmax over logits and membership, then flag. An `unknown` column of the
// classifier joins the catch-all. Without a detector the row is the classifier's. groups: every row
// is the recogniser's, which has known classes among its columns, by softmax(membership); novelty
// is told and decides nothing. Until the recogniser names a group it is soft.
Prediction fuse(const Evidence& evidence, std::shared_ptr<const LabelSpace> space,
                const Threshold* threshold, Fusion fusion);

}  // namespace tyto
