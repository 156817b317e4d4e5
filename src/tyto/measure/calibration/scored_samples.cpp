// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/calibration/scored_samples.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

template <class T>
void append_to(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

template <class T>
std::vector<T> picked(const std::vector<T>& from, Rows rows) {
  std::vector<T> out;
  out.reserve(rows.size());
  for (const Index row : rows) {
    out.push_back(from[static_cast<std::size_t>(row)]);
  }
  return out;
}

}  // namespace

ScoredSamples ScoredSamples::pick(Rows rows) const {
  return {picked(confidence, rows), picked(loss, rows),    picked(brier, rows),
          picked(log_sum, rows),    picked(correct, rows), picked(predicted, rows),
          picked(truth, rows)};
}

void ScoredSamples::append(const ScoredSamples& more) {
  append_to(confidence, more.confidence);
  append_to(loss, more.loss);
  append_to(brier, more.brier);
  append_to(log_sum, more.log_sum);
  append_to(correct, more.correct);
  append_to(predicted, more.predicted);
  append_to(truth, more.truth);
}

ScoredSamples score_samples(const Scores& logits, std::span<const Index> truth) {
  expect_scores(logits, "the scores");
  expect_truth(truth, logits, "the labels");
  const auto n = static_cast<std::size_t>(logits.rows());
  ScoredSamples out;
  out.confidence.resize(n);
  out.loss.resize(n);
  out.brier.resize(n);
  out.log_sum.resize(n);
  out.correct.resize(n);
  out.predicted.resize(n);
  out.truth.assign(truth.begin(), truth.end());
  for_each_index(logits.rows(), [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    const auto row = logits.row(i).array();
    const double highest = row.maxCoeff();
    const auto weight = (row - highest).exp().eval();
    const double sum = weight.sum();
    const double right = row[truth[at]] - highest;
    const double p = std::exp(right) / sum;
    out.confidence[at] = 1.0 / sum;
    const double log_sum = std::log(sum);
    out.loss[at] = log_sum - right;
    out.log_sum[at] = highest + log_sum;
    const double squares = weight.square().sum() / (sum * sum);
    out.brier[at] = std::max(0.0, squares - p * p) + (1.0 - p) * (1.0 - p);
    const Index best = best_column(logits, i);
    out.predicted[at] = best;
    out.correct[at] = best == truth[at] ? 1 : 0;
  });
  return out;
}

std::vector<Index> by_confidence(const ScoredSamples& samples) {
  std::vector<Index> order(samples.confidence.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return samples.confidence[static_cast<std::size_t>(a)] <
           samples.confidence[static_cast<std::size_t>(b)];
  });
  return order;
}

ReliabilityBins confidence_bins(const ScoredSamples& samples, Index bins, BinRule rule) {
  ReliabilityBins out(bins, rule);
  for (std::size_t i = 0; i < samples.confidence.size(); ++i) {
    out.add(samples.confidence[i], samples.correct[i] != 0);
  }
  return out;
}

std::vector<ReliabilityBin> equal_runs(const ScoredSamples& sorted, Index bins) {
  std::vector<ReliabilityBin> out(static_cast<std::size_t>(bins));
  std::size_t row = 0;
  for (Index b = 0; b < bins; ++b) {
    const Index size = sorted.size() / bins + (b < sorted.size() % bins ? 1 : 0);
    for (Index i = 0; i < size; ++i, ++row) {
      out[static_cast<std::size_t>(b)].add(sorted.confidence[row], sorted.correct[row] != 0);
    }
  }
  return out;
}

std::vector<ReliabilityBin> quantile_bins(const ScoredSamples& sorted, Index bins) {
  std::vector<ReliabilityBin> out(static_cast<std::size_t>(bins));
  if (sorted.size() == 0) {
    return out;
  }
  std::vector<double> upper;  // end of each bin but the last, which has all that is left
  for (Index b = 1; b < bins; ++b) {
    const double at = static_cast<double>(sorted.size() - 1) *
                      (static_cast<double>(b) / static_cast<double>(bins));
    const auto low = static_cast<std::size_t>(at);
    const double share = at - std::floor(at);
    const double below = sorted.confidence[low];
    upper.push_back(share == 0.0 ? below : below + share * (sorted.confidence[low + 1] - below));
  }
  std::size_t b = 0;
  for (std::size_t i = 0; i < sorted.confidence.size(); ++i) {
    while (b < upper.size() && sorted.confidence[i] >= upper[b]) {
      ++b;
    }
    out[b].add(sorted.confidence[i], sorted.correct[i] != 0);
  }
  return out;
}

}  // namespace tyto
