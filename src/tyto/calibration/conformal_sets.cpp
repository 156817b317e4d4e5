// SPDX-License-Identifier: Apache-2.0
#include "tyto/calibration/conformal_sets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/parallel.hpp"

namespace tyto {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::array<std::string_view, 3> kSetScores{"lac", "aps", "raps"};

// (n + 1)(1 - error) may land a rounding above the whole number it is.
Index order_for(Index n, double error) {
  return static_cast<Index>(std::ceil(static_cast<double>(n + 1) * (1.0 - error) - 1e-9));
}

double threshold_of(std::vector<double> scores, double error) {
  const Index k = order_for(std::ssize(scores), error);
  if (k > std::ssize(scores)) {
    return kInfinite;
  }
  const auto at = scores.begin() + std::max<Index>(0, k - 1);
  std::nth_element(scores.begin(), at, scores.end());
  return *at;
}

}  // namespace

void SetOptions::describe(OptionVisitor& v) {
  v.field(
      "score", score, kSetScores,
      "lac: smallest sets on average; aps: as large as a sample is hard; raps: the same, with a "
      "penalty on large sets");
  v.field("error", error, {1e-9, 1.0 - 1e-9}, "accepted share of sets without the true class");
  v.field("lambda", lambda, {0.0, 1e6}, "raps: penalty per class beyond k");
  v.field("k", k, {0, 1e9}, "raps: classes without penalty");
  v.field("randomised", randomised,
          "aps, raps: the class on the edge by chance, for exact coverage");
  v.field("by_class", by_class, "a threshold per class, so that every class is covered");
  v.field("crossing", crossing, "aps, raps: also the class at which the threshold is passed");
  v.field("never_empty", never_empty, "the likeliest class at least");
}

void ConformalSets::score_row(const Eigen::Ref<const Eigen::RowVectorXd>& p, double u,
                              std::vector<Index>& order, std::vector<double>& score) const {
  order.resize(static_cast<std::size_t>(p.size()));
  score.resize(order.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return p[a] > p[b]; });
  double sum = 0.0;
  for (std::size_t r = 0; r < order.size(); ++r) {
    const double own = p[order[r]];
    sum += own;
    if (options_.score == "lac") {
      score[r] = 1.0 - own;
      continue;
    }
    score[r] = sum - own + u * own;
    if (options_.score == "raps") {
      score[r] += options_.lambda *
                  static_cast<double>(std::max<Index>(0, static_cast<Index>(r) + 1 - options_.k));
    }
  }
}

void ConformalSets::expect_uniform(Index rows, std::span<const double> uniform) const {
  if (options_.randomised && options_.score != "lac" && std::ssize(uniform) != rows) {
    throw Error(ErrorKind::data, fmt::format("randomised sets need a number in (0, 1) for each of "
                                             "{} rows, and got {}",
                                             rows, uniform.size()));
  }
}

void ConformalSets::fit(const Scores& logits, std::span<const Index> truth,
                        std::span<const double> uniform) {
  expect_scores(logits, "the scores to fit on");
  expect_truth(truth, logits, "the labels to fit on");
  expect_uniform(logits.rows(), uniform);
  const Dense<double> p = score_probabilities(logits);
  std::vector<double> scores(truth.size());
  for_each_index(p.rows(), [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    std::vector<Index> order;
    std::vector<double> row;
    score_row(p.row(i), options_.randomised && !uniform.empty() ? uniform[at] : 1.0, order, row);
    const auto rank = std::find(order.begin(), order.end(), truth[at]) - order.begin();
    scores[at] = row[static_cast<std::size_t>(rank)];
  });
  samples_ = std::ssize(truth);
  if (!options_.by_class) {
    threshold_ = {threshold_of(std::move(scores), options_.error)};
    return;
  }
  std::vector<std::vector<double>> by_class(static_cast<std::size_t>(logits.cols()));
  for (std::size_t i = 0; i < truth.size(); ++i) {
    by_class[static_cast<std::size_t>(truth[i])].push_back(scores[i]);
  }
  std::vector<double> few;
  const auto is_few = [&](const std::vector<double>& own) {
    return order_for(std::ssize(own), options_.error) > std::ssize(own);
  };
  for (const std::vector<double>& own : by_class) {
    if (is_few(own)) {
      few.insert(few.end(), own.begin(), own.end());
    }
  }
  const double shared = threshold_of(few, options_.error);
  threshold_.clear();
  for (const std::vector<double>& own : by_class) {
    threshold_.push_back(is_few(own) ? shared : threshold_of(own, options_.error));
  }
}

std::vector<ClassSet> ConformalSets::sets(const Scores& logits,
                                          std::span<const double> uniform) const {
  if (!is_fitted()) {
    throw Error(ErrorKind::state, "prediction sets were not fitted yet");
  }
  expect_scores(logits, "the scores");
  expect_uniform(logits.rows(), uniform);
  if (options_.by_class && logits.cols() != std::ssize(threshold_)) {
    throw Error(ErrorKind::data,
                fmt::format("the scores have {} columns, but the sets were fitted on {}",
                            logits.cols(), threshold_.size()));
  }
  const Dense<double> p = score_probabilities(logits);
  std::vector<ClassSet> out(static_cast<std::size_t>(p.rows()));
  for_each_index(p.rows(), [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    std::vector<Index> order;
    std::vector<double> score;
    score_row(p.row(i), options_.randomised && !uniform.empty() ? uniform[at] : 1.0, order, score);
    const bool crossing = options_.crossing && options_.score != "lac";
    for (std::size_t r = 0; r < order.size(); ++r) {
      const double threshold =
          threshold_[options_.by_class ? static_cast<std::size_t>(order[r]) : std::size_t{0}];
      const bool inside = crossing ? (r == 0 || score[r - 1] < threshold) : score[r] <= threshold;
      if (inside || (options_.never_empty && r == 0)) {
        out[at].push_back(order[r]);
      }
    }
  });
  return out;
}

double ConformalSets::exact_coverage() const {
  const Index k = order_for(samples_, options_.error);
  return k > samples_ ? 1.0 : static_cast<double>(k) / static_cast<double>(samples_ + 1);
}

void ConformalSets::save(State& state) const {
  Dense<double> thresholds(1, std::ssize(threshold_));
  std::copy(threshold_.begin(), threshold_.end(), thresholds.data());
  state.set("thresholds", std::move(thresholds));
  state.set("samples", std::int64_t{samples_});
}

void ConformalSets::load(const State& state) {
  const auto& thresholds = state.get<Dense<double>>("thresholds");
  threshold_.assign(thresholds.data(), thresholds.data() + thresholds.size());
  samples_ = state.get<std::int64_t>("samples");
}

SetReport report_sets(std::span<const ClassSet> sets, std::span<const Index> truth, Index classes,
                      double error) {
  TYTO_ASSERT(sets.size() == truth.size());
  SetReport out;
  out.samples = std::ssize(sets);
  out.promised = 1.0 - error;
  out.sizes.resize(static_cast<std::size_t>(classes + 1));
  std::vector<double> covered(static_cast<std::size_t>(classes));
  std::vector<double> seen(covered.size());
  double hits = 0.0;
  double sizes = 0.0;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const bool hit = std::find(sets[i].begin(), sets[i].end(), truth[i]) != sets[i].end();
    const auto column = static_cast<std::size_t>(truth[i]);
    seen[column] += 1.0;
    covered[column] += hit ? 1.0 : 0.0;
    hits += hit ? 1.0 : 0.0;
    sizes += static_cast<double>(sets[i].size());
    out.empty += sets[i].empty() ? 1 : 0;
    ++out.sizes[sets[i].size()];
  }
  for (std::size_t k = 0; k < covered.size(); ++k) {
    out.class_coverage.push_back(seen[k] > 0.0 ? covered[k] / seen[k]
                                               : std::numeric_limits<double>::quiet_NaN());
  }
  if (!sets.empty()) {
    out.coverage = hits / static_cast<double>(sets.size());
    out.mean_size = sizes / static_cast<double>(sets.size());
  }
  return out;
}

}  // namespace tyto
