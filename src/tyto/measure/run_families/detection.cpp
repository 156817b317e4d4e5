// SPDX-License-Identifier: Apache-2.0
// Detection as it is used: thresholds are chosen on validate and judged on test, for samples and
// for whole episodes. Read from runs of the protocol detect alone.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "tyto/measure/detection/areas.hpp"
#include "tyto/measure/detection/operating_point.hpp"
#include "tyto/measure/detection/phase_scores.hpp"
#include "tyto/measure/run_registry.hpp"

namespace tyto {

namespace {

const PhaseKey kDetectTest{0, "detect", "test", 0};
const PhaseKey kDetectValidate{0, "detect", "validate", 0};

constexpr double kRecallTarget = 0.95;
// NovelCraft's: 25 % of the samples are novel, and 80 % of the alarms are to be right.
constexpr double kPublishedPrior = 0.25;
constexpr double kPublishedPrecision = 0.80;

struct DetectionOfRun {
  PhaseScores test, validate;
  DetectionCurve curve, chooser;
  EpisodeEvidence episodes;  // by their greatest score
  DetectionCurve episode_curve;

  [[nodiscard]] bool chooses() const { return chooser.normal > 0; }
};

const DetectionOfRun& detection_of(const RunView& run) {
  return run.once<DetectionOfRun>([&] {
    DetectionOfRun all;
    const auto& phases = run.phases();
    const auto load = [&](const PhaseKey& key, PhaseScores& to, DetectionCurve& curve) {
      if (std::find(phases.begin(), phases.end(), key) != phases.end()) {
        to = phase_scores(run.view(key), run.truth());
        curve = detection_curve(to.score, to.is_novel);
      }
    };
    load(kDetectTest, all.test, all.curve);
    load(kDetectValidate, all.validate, all.chooser);
    if (!all.test.episodes.episodes.empty()) {
      all.episodes = episode_evidence(all.test, {}, {});
      all.episode_curve = detection_curve(all.episodes.whole, all.episodes.is_novel);
    }
    return all;
  });
}

using DetectionValue = std::function<std::optional<double>(const DetectionOfRun&)>;

RunMeasureSpec detection_measure(std::string name, Better better, std::string summary,
                                 std::string formula, DetectionValue value) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .formula = std::move(formula),
          .reads = "detect, split test; thresholds on validate",
          .better = better,
          .view = View::detection,
          .values = [value = std::move(value)](const RunView& run) {
            const DetectionOfRun& all = detection_of(run);
            std::vector<RunValue> values;
            if (!all.test.empty()) {
              const std::optional<double> found = value(all);
              for (const Index step : {kDetectTest.step, kAllSteps}) {
                PhaseKey at = kDetectTest;
                at.step = step;
                values.push_back({at, "", found, std::ssize(all.test.score)});
              }
            }
            return values;
          }};
}

// What a threshold for this rate of false alarms among validate's normal samples does on test.
std::optional<OperatingPoint> at_rate(const DetectionOfRun& all, double rate) {
  if (!all.chooses()) {
    return std::nullopt;
  }
  return point_at(all.curve, at_false_alarm_rate(all.chooser, rate, 1)->threshold, 1);
}

std::optional<double> false_alarm_share(const std::optional<OperatingPoint>& point) {
  return point && point->normal_kept ? std::optional(1 - *point->normal_kept) : std::nullopt;
}

std::optional<OperatingPoint> published_point(const DetectionOfRun& all, ThresholdRule rule) {
  if (all.curve.one_sided()) {
    return std::nullopt;
  }
  return at_precision(all.curve, kPublishedPrecision, rule,
                      normal_weight(all.curve, kPublishedPrior));
}

std::optional<double> recall_of(const std::optional<OperatingPoint>& point) {
  return point ? point->recall : std::nullopt;
}

std::optional<EpisodeDelays> delays_at_recall(const DetectionOfRun& all) {
  const auto point = at_recall(all.episode_curve, kRecallTarget, ThresholdRule::max_recall, 1);
  return point ? detection_delays(all.test.episodes, all.episodes.by_frame, point->threshold)
               : std::nullopt;
}

void add_rates(std::vector<RunMeasureSpec>& specs) {
  for (const auto& [rate, word, name] :
       {std::tuple(0.01, "1 in 100", "1pct"), std::tuple(0.001, "1 in 1,000", "01pct")}) {
    const double r = rate;
    specs.push_back(detection_measure(
        fmt::format("recall_at_{}", name), Better::higher,
        fmt::format("Share of the novel test samples that are found at the threshold which {} "
                    "normal samples of validate reaches.",
                    word),
        fmt::format("TP / (TP + FN) on test at the lowest threshold with FP / (FP + TN) <= {:g} on "
                    "validate; missing without normal validate samples",
                    r),
        [r](const DetectionOfRun& all) { return recall_of(at_rate(all, r)); }));
    specs.push_back(detection_measure(
        fmt::format("false_alarms_at_{}", name), Better::lower,
        fmt::format("Share of the normal test samples with an alarm at that threshold; {:g} is "
                    "what it promises.",
                    r),
        "FP / (FP + TN) on test at the threshold of the recall of that name",
        [r](const DetectionOfRun& all) { return false_alarm_share(at_rate(all, r)); }));
  }
}

void add_published(std::vector<RunMeasureSpec>& specs) {
  specs.push_back(detection_measure(
      "tnr_at_95_tpr", Better::higher,
      "Share of the normal test samples without an alarm where 95 % of the novel ones are found; "
      "the threshold is chosen on test, as published.",
      "TN / (TN + FP) at the strictest threshold with TP / (TP + FN) >= 0.95, on test",
      [](const DetectionOfRun& all) -> std::optional<double> {
        const auto point = at_recall(all.curve, kRecallTarget, ThresholdRule::max_recall, 1);
        return point ? point->normal_kept : std::nullopt;
      }));
  specs.push_back(detection_measure(
      "tpr_at_80_ppv", Better::higher,
      "Share of the novel test samples found where 80 % of the alarms are right and 25 % of the "
      "samples novel; the threshold is chosen on test.",
      "greatest TP / (TP + FN) with TP / (TP + w FP) >= 0.8, w such that novel samples make up a "
      "quarter of the weight",
      [](const DetectionOfRun& all) {
        return recall_of(published_point(all, ThresholdRule::max_recall));
      }));
  specs.push_back(detection_measure(
      "tpr_at_80_ppv_paper", Better::higher,
      "The same by the rule of the NovelCraft paper, which takes the smallest precision above 80 % "
      "and may leave recall unused.",
      "TP / (TP + FN) at the point of least precision >= 0.8, of equal ones the lowest threshold",
      [](const DetectionOfRun& all) {
        return recall_of(published_point(all, ThresholdRule::paper));
      }));
  specs.push_back(detection_measure(
      "distinct_scores", Better::neither,
      "How many different novelty scores the test samples have: few of them, and curves are drawn "
      "across ties that no threshold can part.",
      "number of distinct values", [](const DetectionOfRun& all) -> std::optional<double> {
        return static_cast<double>(score_ties(all.curve).distinct);
      }));
}

void add_episodes(std::vector<RunMeasureSpec>& specs) {
  for (std::size_t how = 0; how < kOverFrames.size(); ++how) {
    const std::string name =
        how == 0 ? "episode_auroc" : fmt::format("episode_auroc_{}", kOverFrames[how]);
    specs.push_back(detection_measure(
        name, Better::higher,
        fmt::format("Chance that a novel episode scores above a normal one, by {} of its frames.",
                    how == 0 ? std::string("the greatest score") : std::string(kOverFrames[how])),
        "as auroc, of episodes (groups of samples); the last frame is left out, as published; "
        "missing where the data name no groups",
        [how](const DetectionOfRun& all) -> std::optional<double> {
          if (how == 0 || all.episode_curve.one_sided()) {
            return auroc(all.episode_curve);
          }
          const std::vector<double> normal = all.validate.normal_scores();
          const bool varies = std::adjacent_find(normal.begin(), normal.end(),
                                                 std::not_equal_to<>()) != normal.end();
          if (!varies) {
            return std::nullopt;
          }
          const EpisodeEvidence evidence =
              episode_evidence(all.test, {.how = static_cast<OverFrames>(how)}, normal);
          return auroc(detection_curve(evidence.whole, evidence.is_novel));
        }));
  }
  specs.push_back(detection_measure(
      "episode_delay", Better::lower,
      "Frames of a novel episode until the alarm, mean over kinds of novelty, where 95 % of the "
      "novel episodes are found; one never found counts its length.",
      "mean over types of the mean number of frames before score >= threshold",
      [](const DetectionOfRun& all) -> std::optional<double> {
        const auto delays = delays_at_recall(all);
        return delays ? std::optional(delays->over_types) : std::nullopt;
      }));
  specs.push_back(detection_measure(
      "episodes_undetected", Better::lower,
      "Share of the novel episodes without any alarm at that threshold.",
      "novel episodes whose scores all stay below / novel episodes",
      [](const DetectionOfRun& all) -> std::optional<double> {
        const auto delays = delays_at_recall(all);
        return delays ? std::optional(static_cast<double>(delays->undetected) /
                                      static_cast<double>(all.episode_curve.novel))
                      : std::nullopt;
      }));
}

}  // namespace

std::vector<RunMeasureSpec> detection_run_measures() {
  std::vector<RunMeasureSpec> specs;
  add_rates(specs);
  add_published(specs);
  add_episodes(specs);
  return specs;
}

}  // namespace tyto
