// SPDX-License-Identifier: Apache-2.0
// Why a sample is called novel: which scores say so, what it is nearest to, and which of its
// features are unlike these.
#pragma once

#include <string>
#include <vector>

#include "tyto/math/class_statistics.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {

struct NearExemplar {  // a remembered sample that was fitted on
  SampleId id;
  Label label;
  float distance;  // Euclidean, between representations
};

struct UnusualFeature {
  Index column;
  std::string name;  // of the column; "" where the data have no names
  float value;
  float usual;       // mean of the nearest exemplars
  double deviation;  // (value - usual) in units of the pooled deviation within classes
};

struct WhyNovel {
  std::vector<ScoreNote> scores;         // the least likely first
  std::vector<NearExemplar> nearest;     // nearest first; empty where nothing is remembered
  std::vector<UnusualFeature> features;  // the most unusual first, as the data have them
};

// Borrows the predictor, which must not learn in the meantime. Made in O(m d) time and O(d) memory
// over m remembered samples; explaining takes O(n m d).
class NoveltyExplainer {
 public:
  explicit NoveltyExplainer(const Composition& predictor, Index exemplars = 3, Index features = 5);

  [[nodiscard]] std::vector<WhyNovel> explain(const Samples& samples) const;

 private:
  void add_nearest(const Samples& samples, std::vector<WhyNovel>& out) const;

  const Composition& predictor_;
  Index exemplars_, features_;
  std::vector<Index> fit_;  // rows of the memory
  Eigen::VectorXd scale_;   // per column; a column that never varies has a thousandth of the mean
};

}  // namespace tyto
