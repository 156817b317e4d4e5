// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/headline.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tyto {

namespace {

std::vector<HeadlineNumber> open_world_legend() {
  return {
      {"known_accuracy_before", "known right",
       "Before feedback: share of the samples of classes it had learned that got their right name; "
       "calling one new is wrong.",
       Better::higher, "pre", "classification", "known_accuracy", std::nullopt},
      {"novelty_auroc_before", "new vs known",
       "Before feedback: chance that a sample of a new class scores as newer than one of a known "
       "class, whatever the threshold; 0.5 is a coin. Mean over the increments.",
       Better::higher, "pre", "detection", "auroc", std::nullopt},
      {"noticed_before", "new noticed",
       "Before feedback: share of the samples of new classes that were called new.", Better::higher,
       "pre", "detection", "detection_rate", std::nullopt},
      {"false_alarms_before", "false alarms",
       "Before feedback: share of the samples of known classes that were called new.",
       Better::lower, "pre", "detection", "false_alarm_rate", std::nullopt},
      {"accuracy_after", "named after",
       "After feedback: share of all samples, of old and new classes, that got their right name; "
       "\"unknown\" is no name. All increments pooled.",
       Better::higher, "post", "raw", "accuracy", std::nullopt},
      {"reaction_time", "reaction time",
       "Before feedback: how much of the new passed by until something was called new; 0 the first "
       "new sample was noticed, 1 none was. Mean over the increments.",
       Better::lower, "pre", "detection", "reaction_time", std::nullopt},
  };
}

HeadlineNumber of_split(HeadlineNumber number, std::string_view split) {
  number.name = fmt::format("{}_{}", number.name, split);
  number.title = fmt::format("{} {}", number.title, split);
  number.split = split;
  return number;
}

std::vector<HeadlineNumber> reliability_legend() {
  const HeadlineNumber ece{"ece10",
                           "ECE",
                           "Mean gap between confidence and accuracy over ten bins of confidence; "
                           "`validate` is what the calibrator was fitted on.",
                           Better::lower,
                           "post",
                           "classification",
                           "ece10",
                           std::nullopt};
  const HeadlineNumber nll{
      "nll",         "NLL",       "Mean of -ln p(true class), in nats: a proper score.",
      Better::lower, "post",      "classification",
      "nll",         std::nullopt};
  return {of_split(ece, "validate"),
          of_split(ece, "test"),
          of_split(nll, "validate"),
          of_split(nll, "test"),
          {"brier_sum_test", "Brier test",
           "Mean squared distance of the probabilities from the truth, 0 to 2: a proper score.",
           Better::lower, "post", "classification", "brier_sum", std::nullopt},
          {"accuracy_test", "right test",
           "Share of test samples whose likeliest known class is theirs.", Better::higher, "post",
           "classification", "closed_accuracy", std::nullopt}};
}

}  // namespace

std::vector<HeadlineNumber> headline_legend(std::string_view protocol) {
  return protocol == "calibrate" ? reliability_legend() : open_world_legend();
}

std::vector<HeadlineNumber> headline(std::span<const MeasureRow> rows, std::string_view protocol,
                                     NovelTo novel_to) {
  std::vector<HeadlineNumber> numbers = headline_legend(protocol);
  for (HeadlineNumber& number : numbers) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const MeasureRow& row) {
      return row.step == kAllSteps && row.phase == number.phase && row.split == number.split &&
             row.view == number.view && row.measure == number.measure &&
             row.novel_to == novel_to_name(novel_to);
    });
    if (found != rows.end()) {
      number.value = found->value;
      number.low = found->low;
      number.high = found->high;
    }
  }
  return numbers;
}

}  // namespace tyto
