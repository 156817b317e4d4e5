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
  double alike = 1;  // so many samples of a group say no more than one of as many groups

  // Chance of such a novelty in a known sample. O(log n).
  [[nodiscard]] float p_value(float novelty) const;
  // The least error that so many held-out samples can promise: w / (n + w), w being what a sample
  // to come weighs; 1 / (n + 1) where all weigh the same and none is like another.
  [[nodiscard]] double least_error() const;
  void sum_weights();  // after `weight` and `alike` were set

 private:
  std::vector<float> from_;  // weight of held[i] and all after it
  double to_come_ = 1;       // what a sample to come weighs
};

// value = the k-th smallest of n held-out scores, k = ceil((n + 1)(1 - error)): a known sample
// exchangeable with them is called novel with probability <= error. With weights, k counts weight,
// and the sample to come, drawn as the weights say, has the weight to be expected of such a one:
// sum of squares / sum. It counts `alike` times, since the next group differs by more than a
// sample. Where error < least_error() the value is the greatest of them, which no held-out sample
// exceeds, and least_error() is what holds. scale: the median held-out sample is graded 0.1.
Threshold threshold_at(std::vector<float> held, double accepted_error,
                       std::vector<float> weight = {}, double alike = 1);

// The same grading around a detector's own threshold.
Threshold threshold_given(std::vector<float> held, float value, std::vector<float> weight = {},
                          double alike = 1);

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
