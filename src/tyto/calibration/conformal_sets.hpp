// SPDX-License-Identifier: Apache-2.0
// Sets of classes that hold the true one with a promised probability, whatever the scores (split
// conformal prediction). Samples to fit on must be exchangeable with those to come.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "tyto/core/options.hpp"
#include "tyto/core/state.hpp"
#include "tyto/math/score_rows.hpp"

namespace tyto {

// With the classes of a row from the likeliest on (ties to the first), rank r from 1 and cum(r) the
// probability of the first r, a class scores
//   lac   1 - p
//   aps   cum(r) - (1 - u) p
//   raps  aps + lambda max(0, r - k)
// u uniform per sample, or 1 without randomisation. The set has the scores up to the
// ceil((n + 1)(1 - error))-th smallest of the n true classes' scores; all classes if n is less.
struct SetOptions {
  std::string score = "aps";
  double error = 0.1, lambda = 0.1;
  Index k = 2;
  bool randomised = true;
  bool by_class = false;     // a threshold per class; those with fewer than 1 / error - 1 share one
  bool crossing = false;     // aps, raps: also the class at which the threshold is passed
  bool never_empty = false;  // the likeliest class at least

  void describe(OptionVisitor& visitor);
};

using ClassSet = std::vector<Index>;  // columns, the likeliest first

class ConformalSets {
 public:
  ConformalSets() = default;

  explicit ConformalSets(SetOptions options) : options_(std::move(options)) {}

  // `uniform` has a number in (0, 1) per row; it may be empty where nothing is randomised.
  void fit(const Scores& logits, std::span<const Index> truth, std::span<const double> uniform);

  [[nodiscard]] std::vector<ClassSet> sets(const Scores& logits,
                                           std::span<const double> uniform) const;

  [[nodiscard]] bool is_fitted() const { return !threshold_.empty(); }

  [[nodiscard]] const SetOptions& options() const { return options_; }

  // By column; one for all unless by_class. Infinite: every class belongs.
  [[nodiscard]] const std::vector<double>& thresholds() const { return threshold_; }

  [[nodiscard]] Index fitted_on() const { return samples_; }

  // What is promised on average over fits and samples: at least 1 - error; with the exact order
  // statistic k / (n + 1), where one threshold serves all classes and scores are not tied.
  [[nodiscard]] double exact_coverage() const;

  void save(State& state) const;
  void load(const State& state);

 private:
  // Scores of the classes of a row, and its classes from the likeliest on.
  void score_row(const Eigen::Ref<const Eigen::RowVectorXd>& p, double u, std::vector<Index>& order,
                 std::vector<double>& score) const;
  void expect_uniform(Index rows, std::span<const double> uniform) const;

  SetOptions options_;
  std::vector<double> threshold_;
  Index samples_ = 0;
};

struct SetReport {
  Index samples = 0, empty = 0;
  double coverage = 0, promised = 0, mean_size = 0;
  std::vector<Index> sizes;            // how many sets have 0, 1, 2, ... classes
  std::vector<double> class_coverage;  // by column, NaN for a class without samples
};

SetReport report_sets(std::span<const ClassSet> sets, std::span<const Index> truth, Index classes,
                      double error);

}  // namespace tyto
