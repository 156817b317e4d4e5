// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/measure_detection.hpp"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "tyto/cli/detection_answer.hpp"
#include "tyto/cli/detection_tables.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

constexpr Index kCostSteps = 20;

class DetectionMeasuring {
 public:
  DetectionMeasuring(const DetectionCall& call, const DetectionForm& form)
      : call_(call), form_(form), options_(detection_options(call)), tables_(call, form) {}

  [[nodiscard]] const std::vector<std::string>& scores() const { return tables_.scores(); }

  [[nodiscard]] DetectionAnswer measure(const std::string& score) const {
    DetectionAnswer answer;
    answer.notes = tables_.notes();
    answer.method = score;
    answer.rule = call_.rule;
    answer.options = options_;
    answer.of_episodes = tables_.of_episodes();
    answer.chosen_on = tables_.has_validation() ? "validation" : "test";
    Judged test = tables_.measured(score, answer.notes);
    std::optional<Judged> validation = tables_.validation(score, answer.notes);
    if (tables_.of_episodes()) {
      add_evidence(test, validation ? &*validation : nullptr, answer.notes);
    }
    const DetectionCurve curve = detection_curve(test.score, test.is_novel);
    std::optional<DetectionCurve> chooser;
    if (validation) {
      chooser = detection_curve(validation->score, validation->is_novel);
    }
    answer.found = summarise_detection(curve, options_, chooser ? &*chooser : nullptr);
    std::move(answer.found.notes.begin(), answer.found.notes.end(),
              std::back_inserter(answer.notes));
    if (answer.found.auroc && *answer.found.auroc < 0.5) {
      answer.notes.emplace_back(
          "novel ones score below normal ones more often than above: a larger score is taken to "
          "be more novel");
    }
    if (options_.costs) {
      answer.cost_curve = cost_curve(curve, kCostSteps);
    }
    if (tables_.of_episodes()) {
      add_delays(answer, test);
    }
    if (form_.bootstrap.replicates > 0) {
      add_intervals(answer, test);
    }
    return answer;
  }

 private:
  void add_evidence(Judged& test, Judged* validation, std::vector<std::string>& notes) const {
    const OverFramesOptions how{over_frames(call_.over_frames), call_.window, call_.drift};
    const Judged& reference = validation != nullptr ? *validation : test;
    std::vector<double> normal;
    for (const ScoredEpisode& episode : reference.episodes.episodes) {
      if (!episode.is_novel) {
        normal.insert(normal.end(), episode.score.begin(), episode.score.end());
      }
    }
    if (validation == nullptr &&
        (how.how == OverFrames::cusum || how.how == OverFrames::martingale)) {
      notes.push_back(
          fmt::format("{} measures frames by the normal episodes that are measured "
                      "too; --validation gives others",
                      call_.over_frames));
    }
    const FrameEvidence evidence(how, normal);
    const auto judge = [&](Judged& judged) {
      Index single = 0;
      for (const ScoredEpisode& episode : judged.episodes.episodes) {
        judged.evidence.push_back(evidence.of(episode.score));
        judged.score.push_back(episode_score(judged.evidence.back()));
        single += episode.score.size() == 1 ? 1 : 0;
      }
      return single;
    };
    const Index single = judge(test) + (validation != nullptr ? judge(*validation) : 0);
    if (single > 0) {
      notes.push_back(
          fmt::format("{} episodes have one frame: their score is that frame's, while "
                      "others leave out their last",
                      single));
    }
  }

  void add_delays(DetectionAnswer& answer, const Judged& test) const {
    const auto delays = [&](const std::optional<OperatingPoint>& point) {
      return point ? detection_delays(test.episodes, test.evidence, point->threshold)
                   : std::nullopt;
    };
    answer.delay_at_recall = delays(answer.found.at_recall);
    answer.delay_at_precision = delays(answer.found.at_precision);
    for (const auto& point : answer.found.at_rates) {
      answer.delay_at_rates.push_back(delays(point));
    }
  }

  void add_intervals(DetectionAnswer& answer, const Judged& test) const {
    Progress progress(form_.quiet ? nullptr : stderr);
    answer.intervals = detection_intervals(
        test.score, test.is_novel, test.unit, form_.bootstrap, progress,
        [&](const DetectionCurve& curve) { return interval_values(curve, options_); });
    const bool in_groups = tables_.of_episodes() || !form_.by_group.empty();
    const Index units =
        test.unit.empty() ? 0 : *std::max_element(test.unit.begin(), test.unit.end()) + 1;
    answer.drawn = fmt::format(
        "{:g} % intervals: percentiles of {} resamples of {} {}, seed {}, thresholds chosen anew "
        "on each",
        100 * form_.bootstrap.level, form_.bootstrap.replicates, units,
        tables_.of_episodes() ? "episodes"
        : in_groups           ? fmt::format("groups of one {}", form_.by_group)
                              : std::string("rows"),
        form_.bootstrap.seed);
    if (!in_groups) {
      answer.notes.emplace_back(
          "the intervals take rows for independent; frames of one episode are not: --by-group "
          "names the column of the episode");
    }
  }

  const DetectionCall& call_;
  const DetectionForm& form_;
  DetectionOptions options_;
  DetectionTables tables_;
};

}  // namespace

void measure_detection(const DetectionCall& call, const DetectionForm& form) {
  if (!form.targets.empty()) {
    throw Error(ErrorKind::config, fmt::format("--detection takes its own file, and no target "
                                               "besides: {}",
                                               form.targets.front()));
  }
  const DetectionMeasuring measuring(call, form);
  std::vector<DetectionAnswer> answers;
  for (const std::string& score : measuring.scores()) {
    answers.push_back(measuring.measure(score));
  }
  std::string content;
  if (form.json) {
    content = detection_json(answers);
  } else if (form.csv) {
    content = detection_csv(answers);
    for (const DetectionAnswer& answer : answers) {
      for (const std::string& note : answer.notes) {
        std::cerr << (form.quiet ? "" : wrapped(answer.method + ": " + note, 100, 0));
      }
    }
  } else {
    for (const DetectionAnswer& answer : answers) {
      content += (content.empty() ? "" : "\n") + detection_text(answer);
    }
  }
  if (form.out.empty()) {
    std::cout << content;
  } else {
    write_file(form.out, content);
  }
}

}  // namespace tyto
