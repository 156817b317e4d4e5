// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/detection/summary.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/measure/detection/areas.hpp"

namespace tyto {

namespace {

constexpr double kGreatTie = 0.01;  // share of all samples at one score from which on it is told

double percent_of(Index part, Index whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Chooses on one curve and tells what the choice does on another.
class Chooser {
 public:
  Chooser(const DetectionCurve& test, double test_weight, const DetectionCurve* validation,
          double validation_weight)
      : test_(test),
        test_weight_(test_weight),
        validation_(validation),
        validation_weight_(validation_weight) {}

  template <class Choose>
  [[nodiscard]] std::optional<OperatingPoint> operator()(const Choose& choose) const {
    if (validation_ == nullptr) {
      return choose(test_, test_weight_);
    }
    const std::optional<OperatingPoint> chosen = choose(*validation_, validation_weight_);
    return chosen ? std::optional(point_at(test_, chosen->threshold, test_weight_)) : std::nullopt;
  }

 private:
  const DetectionCurve& test_;
  double test_weight_;
  const DetectionCurve* validation_;
  double validation_weight_;
};

void note_tie_at(const DetectionCurve& curve, const std::optional<OperatingPoint>& point,
                 const std::string& what, std::vector<std::string>& notes) {
  if (!point || curve.one_sided()) {
    return;
  }
  const auto at =
      std::find_if(curve.points.begin(), curve.points.end(),
                   [&](const DetectionCurve::Point& p) { return p.threshold == point->threshold; });
  if (at == curve.points.end()) {
    return;
  }
  const DetectionCurve::Point before =
      at == curve.points.begin() ? DetectionCurve::Point{} : *std::prev(at);
  const Index tied = Index{at->novel - before.novel} + Index{at->normal - before.normal};
  if (tied > 1 &&
      static_cast<double>(tied) >= kGreatTie * static_cast<double>(curve.novel + curve.normal)) {
    notes.push_back(fmt::format(
        "the threshold {} lies on a tie of {} samples: just above it recall is {:.2f} "
        "% at {:.2f} % of normal samples left alone, and no threshold lies between",
        what, tied, 100.0 * curve.recall(before), 100.0 - 100.0 * curve.false_alarm_rate(before)));
  }
}

void note_ties(const DetectionSummary& summary, std::vector<std::string>& notes) {
  const Index all = summary.novel + summary.normal;
  if (summary.ties.distinct == 1 && all > 1) {
    notes.push_back("all scores are equal: they tell nothing apart");
  } else if (summary.ties.largest > 1 &&
             static_cast<double>(summary.ties.largest) >= kGreatTie * static_cast<double>(all)) {
    notes.push_back(fmt::format(
        "{} distinct scores for {} samples, {} of which ({:.1f} %) are all {}: the trapezoid "
        "AUPRC draws a line across such a tie, average precision does not",
        summary.ties.distinct, all, summary.ties.largest, percent_of(summary.ties.largest, all),
        summary.ties.largest_score));
  }
}

void note_sides(const DetectionCurve& curve, const char* where, std::vector<std::string>& notes) {
  if (curve.novel + curve.normal == 0) {
    notes.push_back(fmt::format("there are no {} samples at all", where));
  } else if (curve.one_sided()) {
    notes.push_back(fmt::format("all {} {} samples are {}: nothing can be told apart",
                                curve.novel + curve.normal, where,
                                curve.novel == 0 ? "normal" : "novel"));
  }
}

void note_few_normal(Index normal, double rate, const char* where,
                     std::vector<std::string>& notes) {
  const Index needed = normal_samples_needed(rate);
  if (normal > 0 && normal < needed) {
    notes.push_back(
        fmt::format("a false-alarm rate of 1 in {:g} cannot be shown with so few: {} {} "
                    "normal samples, where {} without a single false alarm would show it (95 %)",
                    1.0 / rate, normal, where, needed));
  }
}

}  // namespace

DetectionSummary summarise_detection(const DetectionCurve& test, const DetectionOptions& options,
                                     const DetectionCurve* validation) {
  DetectionSummary out;
  const double weight = normal_weight(test, options.prior);
  const Chooser chosen(test, weight, validation,
                       validation == nullptr ? 1.0 : normal_weight(*validation, options.prior));
  out.novel = test.novel;
  out.normal = test.normal;
  out.ties = score_ties(test);
  out.auroc = auroc(test);
  out.trapezoids = precision_recall_trapezoids(test, weight);
  out.average_precision = average_precision(test, weight);
  out.at_recall = chosen([&](const DetectionCurve& curve, double w) {
    return at_recall(curve, options.recall, options.rule, w);
  });
  out.at_precision = chosen([&](const DetectionCurve& curve, double w) {
    return at_precision(curve, options.precision, options.rule, w);
  });
  note_sides(test, "measured", out.notes);
  if (validation != nullptr) {
    note_sides(*validation, "validation", out.notes);
  }
  note_ties(out, out.notes);
  note_tie_at(test, out.at_recall, fmt::format("for recall {:g} %", 100.0 * options.recall),
              out.notes);
  note_tie_at(test, out.at_precision,
              fmt::format("for precision {:g} %", 100.0 * options.precision), out.notes);
  for (const double rate : options.false_alarm_rates) {
    out.at_rates.push_back(chosen([&](const DetectionCurve& curve, double w) {
      return at_false_alarm_rate(curve, rate, w);
    }));
    note_few_normal(test.normal, rate, "measured", out.notes);
    if (validation != nullptr) {
      note_few_normal(validation->normal, rate, "validation", out.notes);
    }
  }
  if (options.costs) {
    out.at_cost = chosen([&](const DetectionCurve& curve, double w) {
      return at_least_cost(curve, *options.costs, w);
    });
  }
  if (options.budget) {
    out.in_budget = chosen([&](const DetectionCurve& curve, double w) {
      return within_budget(curve, *options.budget, w);
    });
  }
  return out;
}

std::vector<Interval> detection_intervals(
    std::span<const double> score, std::span<const std::uint8_t> is_novel,
    std::span<const Index> unit, const BootstrapOptions& options, Progress& progress,
    const std::function<std::vector<double>(const DetectionCurve&)>& values) {
  options.check();
  TYTO_ASSERT(unit.size() == score.size());
  const ResampledCurve sorted(score, is_novel);
  const Index units = unit.empty() ? 0 : *std::max_element(unit.begin(), unit.end()) + 1;
  const Rng rng(options.seed, "detection bootstrap");
  std::vector<std::vector<double>> drawn(static_cast<std::size_t>(options.replicates));
  for_each_replicate(options.replicates, progress, [&](Index replicate) {
    Rng of_replicate = rng.fork("replicate", static_cast<std::uint64_t>(replicate));
    std::vector<std::uint32_t> of_unit(static_cast<std::size_t>(units));
    for (Index i = 0; i < units; ++i) {
      ++of_unit[static_cast<std::size_t>(of_replicate.below(units))];
    }
    std::vector<std::uint32_t> copies(unit.size());
    for (std::size_t i = 0; i < unit.size(); ++i) {
      copies[i] = of_unit[static_cast<std::size_t>(unit[i])];
    }
    drawn[static_cast<std::size_t>(replicate)] = values(sorted.draw(copies));
  });
  std::vector<Interval> out;
  for (std::size_t value = 0; value < drawn.front().size(); ++value) {
    std::vector<double> of_value;
    for (const std::vector<double>& replicate : drawn) {
      of_value.push_back(replicate[value]);
    }
    out.push_back(percentile_interval(of_value, options.level));
  }
  return out;
}

}  // namespace tyto
