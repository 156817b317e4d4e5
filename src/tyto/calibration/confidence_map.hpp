// SPDX-License-Identifier: Apache-2.0
// Calibrators of one probability at a time, and how many classes make use of them: of the predicted
// class alone, or of every class against the rest.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tyto/calibration/score_calibrator.hpp"

namespace tyto {

double logistic(double log_odds);

// log odds -> probability. In log odds, which keep their digits near 0 and 1.
struct ConfidenceMap : Interface {
  using Numbers = std::map<std::string, std::vector<double>, std::less<>>;

  // Some of `hit` are 1.
  virtual void fit(std::span<const double> log_odds, std::span<const std::uint8_t> hit) = 0;
  [[nodiscard]] virtual double probability(double log_odds) const = 0;
  [[nodiscard]] virtual Numbers numbers() const = 0;
  virtual void set(const Numbers& numbers) = 0;
};

using MakeMap = std::function<std::unique_ptr<ConfidenceMap>()>;

// top_label: the predicted class's probability is mapped and the others share what is left in their
// old proportions; a floor, the share at which another class would overtake it, keeps the
// prediction. one_vs_rest: every class's is mapped, then divided by their sum; the prediction may
// change, and a class without samples keeps its probability.
class MappedConfidence : public ScoreCalibrator {
 public:
  MappedConfidence(std::string_view route, MakeMap make);

  [[nodiscard]] Parameters parameters() const override;
  void set(const Parameters& given) override;

  [[nodiscard]] bool keeps_order() const override { return top_label_; }

  [[nodiscard]] bool by_column() const override { return !top_label_; }

 protected:
  void do_fit(const CalibrationSet& known, Work& work) override;
  [[nodiscard]] Dense<double> do_apply(const Scores& logits, const Dense<double>*) const override;

 private:
  [[nodiscard]] Dense<double> apply_top(const Scores& logits) const;
  [[nodiscard]] Dense<double> apply_all(const Scores& logits) const;

  bool top_label_;
  MakeMap make_;
  std::vector<std::unique_ptr<ConfidenceMap>> maps_;  // by column, or one; null: as it is
};

// log p_k - log(1 - p_k) of a row, exact near both ends; within [-700, 700].
Eigen::VectorXd row_log_odds(const Scores& logits, Index row);

constexpr std::array<std::string_view, 2> kRoutes{"top_label", "one_vs_rest"};
constexpr std::string_view kRouteHelp =
    "top_label: the predicted class's probability, which stays predicted; one_vs_rest: every "
    "class's, divided by their sum";

// `Options` has `route` and makes its map: std::unique_ptr<ConfidenceMap> make() const.
template <class Options>
struct MappedBy final : MappedConfidence {
  explicit MappedBy(const Options& options)
      : MappedConfidence(options.route, [options] { return options.make(); }) {}
};

}  // namespace tyto
