// SPDX-License-Identifier: Apache-2.0
// Confidence class by class: of every column's probability, and of the samples of each true class.
#pragma once

#include <span>
#include <vector>

#include "tyto/measure/calibration/confidence.hpp"

namespace tyto {

// Every class's probability against "this is the class": sums, so that parts of a table add up.
class ClasswiseBins {
 public:
  ClasswiseBins(Index classes, Index bins, BinRule rule = BinRule::right_closed);

  void add(const Scores& logits, std::span<const Index> truth);
  void merge(const ClasswiseBins& other);

  [[nodiscard]] double ece() const;  // mean over all classes, those without samples included

  [[nodiscard]] std::span<const ReliabilityBins> classes() const { return bins_; }

 private:
  std::vector<ReliabilityBins> bins_;
};

struct ColumnErrors {
  double classwise_ece = 0;  // as above
  double nixon_ace = 0;  // mean over classes and runs of equal mass of |gap| (Nixon et al. 2019)
};

// Both of `runs` bins, from one pass by columns: no class's probabilities are ever sorted whole.
// O(n k), parallel; 8 n bytes a thread besides.
ColumnErrors column_errors(const Scores& logits, std::span<const Index> truth, Index runs,
                           BinRule rule = BinRule::right_closed);

// The same where the samples of this table have been scored already.
ColumnErrors column_errors(const Scores& logits, const ScoredSamples& samples, Index runs,
                           BinRule rule = BinRule::right_closed);

struct ClassReliability {
  Index column = 0, count = 0;
  double recall = 0, mean_confidence = 0;
  double delta = 0;  // mean confidence - recall: above 0 over-confident
  double ece = 0;
};

// By true class; classes without samples are left out.
std::vector<ClassReliability> class_reliability(const ScoredSamples& samples, Index bins,
                                                BinRule rule = BinRule::right_closed);

struct FrequencySplit {
  std::vector<Index> order;         // columns, the most frequent first, ties to the first
  std::vector<Index> common, rare;  // ascending: the more frequent half (with the middle one) and
                                    // the other
};

// `counts` by column, of the dataset rather than of the samples measured.
FrequencySplit split_by_frequency(std::span<const Index> counts);

// Rows whose true class is one of `columns`.
std::vector<Index> rows_of_classes(std::span<const Index> truth, std::span<const Index> columns);

// Every measure of a table of scores, with the class-wise ones.
NamedValues table_measures(const Dense<double>& logits, const std::vector<Index>& truth,
                           const ConfidenceOptions& options);

}  // namespace tyto
