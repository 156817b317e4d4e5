// SPDX-License-Identifier: Apache-2.0
// A temperature, then a factor and a shift per class that a ridge holds back.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "tyto/calibration/linear_calibrator.hpp"
#include "tyto/calibration/temperature_fit.hpp"
#include "tyto/math/folds.hpp"

namespace tyto {

namespace {

constexpr std::array<std::string_view, 2> kVectorForms{"chosen", "published"};
constexpr Index kFolds = 5;
constexpr Index kFewestPerFit = 50;  // samples; with fewer there is nothing to choose by
constexpr double kMostScores = 2e6;  // looked at to choose a strength
constexpr double kAlone = std::numeric_limits<double>::infinity();  // the temperature alone
// The strongest first.
constexpr std::array<double, 7> kStrengths{kAlone, 100, 30, 10, 3, 1, 0.3};

struct StructuredVectorOptions {
  std::string form = "chosen";
  double strength = 1.0;

  void describe(OptionVisitor& v) {
    v.field("form", form, kVectorForms,
            "chosen: the strength of the ridge by cross-validation, up to the temperature alone; "
            "published: as given");
    v.field("strength", strength, {1e-6, 1e6},
            "form published: of the ridge on factors and shifts, in units of classes / samples");
  }
};

// Temperature first; then a factor and a shift per class on the log probabilities, held to 1 and 0
// the more, the fewer samples there are for a class.
class StructuredVectorScaling final : public LinearCalibrator {
 public:
  explicit StructuredVectorScaling(StructuredVectorOptions options)
      : options_(std::move(options)) {}

  [[nodiscard]] Parameters parameters() const override {
    Parameters out = LinearCalibrator::parameters();
    out["strength"] = as_parameter(strength_);
    return out;
  }

  void set(const Parameters& given) override {
    LinearCalibrator::set(given);
    strength_ = number_parameter(given, "strength");
  }

 protected:
  void do_fit(const CalibrationSet& known, Work& work) override {
    strength_ = options_.form == "published" ? options_.strength : chosen(known, work);
    const Fit fit = fitted(known.logits, known.truth, strength_);
    fit_ = fit.scaling;
    temperature_ = fit.temperature;
  }

  [[nodiscard]] Dense<double> inputs(const Scores& logits) const override {
    return at(logits, temperature_);
  }

 private:
  struct Fit {
    LinearScaling scaling;
    double temperature = 1;
  };

  static Dense<double> at(const Scores& logits, double temperature) {
    return finite_scores(score_log_probabilities(logits / temperature));
  }

  static LinearScaling with_strength(const Dense<double>& inputs, std::span<const Index> truth,
                                     double strength) {
    const Index classes = inputs.cols();
    if (strength == kAlone) {
      return {Dense<double>::Ones(1, classes), Eigen::VectorXd::Zero(classes), 0.0, 0.0};
    }
    return fit_diagonal(
        inputs, truth, strength * static_cast<double>(classes) / static_cast<double>(truth.size()));
  }

  static Fit fitted(const Scores& logits, std::span<const Index> truth, double strength) {
    const double temperature = fit_temperature<double>(logits, truth).temperature;
    return {with_strength(at(logits, temperature), truth, strength), temperature};
  }

  // By the loss on folds that were not fitted on; of equals the strongest.
  double chosen(const CalibrationSet& known, Work& work) {
    const Index n = known.logits.rows();
    if (n < kFewestPerFit) {
      note(fmt::format("{} samples are too few to choose a ridge by: the temperature alone", n));
      return kAlone;
    }
    const Index most = std::max<Index>(
        kFewestPerFit, static_cast<Index>(kMostScores / static_cast<double>(known.logits.cols())));
    std::vector<Index> rows = work.rng.fork("choose").permutation(n);
    rows.resize(static_cast<std::size_t>(std::min(n, most)));
    std::sort(rows.begin(), rows.end());
    const std::vector<Index> groups = groups_of(rows, known.groups, kFolds);
    const std::vector<Index> folds =
        fold_of(std::ssize(rows), groups, kFolds, work.rng.fork("folds"));
    std::array<std::vector<double>, kStrengths.size()> losses;
    losses.fill(std::vector<double>(rows.size()));
    for (Index fold = 0; fold < kFolds; ++fold) {
      judge(known, rows, folds, fold, losses);
      work.progress.pulse();
    }
    std::size_t best = 0;
    for (std::size_t s = 1; s < losses.size(); ++s) {
      best = sum_of(losses[s]) < sum_of(losses[best]) ? s : best;
    }
    return kStrengths[best];
  }

  static double sum_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  // Losses of the rows of one fold, fitted on the others, for every strength.
  static void judge(const CalibrationSet& known, const std::vector<Index>& rows,
                    const std::vector<Index>& folds, Index fold,
                    std::array<std::vector<double>, kStrengths.size()>& losses) {
    std::vector<Index> fit_rows, fit_truth, other_rows;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (folds[i] == fold) {
        others.push_back(i);
        other_rows.push_back(rows[i]);
      } else {
        fit_rows.push_back(rows[i]);
        fit_truth.push_back(known.truth[static_cast<std::size_t>(rows[i])]);
      }
    }
    if (fit_rows.empty() || others.empty()) {
      return;
    }
    const Dense<double> logits = known.logits(fit_rows, Eigen::all);
    const double temperature = fit_temperature<double>(logits, fit_truth).temperature;
    const Dense<double> inputs = at(logits, temperature);
    const Dense<double> judged = at(known.logits(other_rows, Eigen::all), temperature);
    for (std::size_t s = 0; s < kStrengths.size(); ++s) {
      const LinearScaling fit = with_strength(inputs, fit_truth, kStrengths[s]);
      const Dense<double> log_p = score_log_probabilities(scaled(judged, fit));
      for (std::size_t i = 0; i < others.size(); ++i) {
        losses[s][others[i]] =
            -log_p(static_cast<Index>(i), known.truth[static_cast<std::size_t>(other_rows[i])]);
      }
    }
  }

  StructuredVectorOptions options_;
  double strength_ = 1;
};

}  // namespace

CalibratorSpec structured_vector_calibrator() {
  return calibrator_spec<StructuredVectorOptions, StructuredVectorScaling>(
      "structured_vector",
      "temperature, then a factor and a shift per class held back by a ridge; may change the "
      "predicted class",
      "O(n k) a round, some 50 rounds, 31 times where the ridge is chosen",
      "Structured vector scaling, dholzmueller/probmetrics");
}

}  // namespace tyto
