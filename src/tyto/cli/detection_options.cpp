// SPDX-License-Identifier: Apache-2.0
// What `tyto measure --detection` can be told.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tyto/cli/measure_detection.hpp"
#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"

namespace tyto {

namespace {

// What the two parts of "10:1" are worth.
std::pair<double, double> two_costs(const std::string& text) {
  const auto colon = text.find(':');
  const auto miss = number_in<double>(std::string_view(text).substr(0, colon));
  const auto alarm = colon == text.npos
                         ? std::nullopt
                         : number_in<double>(std::string_view(text).substr(colon + 1));
  if (!miss || !alarm) {
    throw Error(
        ErrorKind::config,
        fmt::format("--cost {}: is to be the cost of a miss and of a false alarm, as 10:1", text));
  }
  return {*miss, *alarm};
}

}  // namespace

DetectionOptions detection_options(const DetectionCall& call) {
  DetectionOptions options;
  options.rule = threshold_rule(call.rule);
  options.prior = call.prior;
  options.recall = call.recall;
  options.precision = call.precision;
  const std::optional<double> frequency = call.frequency ? call.frequency : call.prior;
  if ((!call.cost.empty() || call.alarms_per_day) && !frequency) {
    throw Error(ErrorKind::config,
                "--cost and --alarms-per-day need to know how often something new will come: "
                "--frequency, or --prior");
  }
  if (!call.cost.empty()) {
    const auto [miss, alarm] = two_costs(call.cost);
    options.costs = DetectionCosts{miss, alarm, *frequency};
    options.costs->check();
  }
  if (call.alarms_per_day.has_value() != call.frames_per_day.has_value()) {
    throw Error(ErrorKind::config, "--alarms-per-day and --frames-per-day go together");
  }
  if (call.alarms_per_day) {
    options.budget = AlarmBudget{*call.alarms_per_day, *call.frames_per_day, *frequency};
    options.budget->check();
  }
  return options;
}

void add_detection_options(CLI::App* command, DetectionCall& call) {
  const std::string group = "Novelty scores";
  const auto add = [&](const char* name, auto& value, const char* help) {
    return command->add_option(name, value, help)->group(group);
  };
  add("--detection", call.file,
      "CSV file with a novelty score and the truth in each row, or a run of the protocol detect");
  add("--score", call.scores,
      "Columns of scores, larger is newer (standard: score; of a run its arms)")
      ->delimiter(',');
  add("--truth", call.truth, "Column that says which rows are novel, 1 or 0 (standard: novel)");
  add("--rule", call.rule,
      "Of thresholds: max_recall (standard), or as published paper or early2022");
  add("--prior", call.prior, "Share of novel ones that precision is for (standard: as it is)");
  add("--tpr", call.recall, "Recall to be reached (standard: 0.95)");
  add("--ppv", call.precision, "Precision to be reached (standard: 0.80)");
  add("--validation", call.validation,
      "Choose thresholds on this file, or on the rows that this column says are for validation");
  add("--cost", call.cost, "Cost of a miss and of a false alarm, as 10:1");
  add("--frequency", call.frequency,
      "How often something new will come: share of samples (standard: --prior)");
  add("--alarms-per-day", call.alarms_per_day, "As many as there may be, right or false");
  add("--frames-per-day", call.frames_per_day, "Samples a day, for --alarms-per-day");
  add("--episodes", call.episodes,
      "Measure episodes: a CSV file with the columns class and first_novel_episode; or groups: by "
      "the columns episode, frame and novel, of a run by the groups of its data");
  add("--over-frames", call.over_frames,
      "What an episode's frames say together: maximum (standard), running_mean, cusum, martingale");
  add("--window", call.window, "Frames of the running mean (standard: 5)")
      ->check(CLI::Range(Index{1}, Index{1'000'000'000}));
  add("--drift", call.drift, "Of cusum, in deviations of normal frames (standard: 0.5)");
  add("--missing-frames", call.missing, "zero: their score is 0 (standard); skip: leave them out")
      ->check(CLI::IsMember({"zero", "skip"}));
}

}  // namespace tyto
