// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/measure_detection.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/cli/detection_answer.hpp"
#include "tyto/core/csv/csv_header.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/data/split_word.hpp"
#include "tyto/engine/use/detection_table.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

constexpr Index kCostSteps = 20;
constexpr std::string_view kByGroups = "groups";  // of --episodes

// Samples, or episodes, with the score as a whole and the unit each is drawn in.
struct Judged {
  std::vector<double> score;
  std::vector<std::uint8_t> is_novel;
  std::vector<Index> unit;
  // Of episodes.
  ScoredEpisodes episodes;
  std::vector<std::vector<double>> evidence;
};

struct DetectionRows {  // of the tables given
  std::vector<Index> measured, validation;
  Index left_out = 0;  // those of a training split
};

bool truth_of_cell(const CsvTable& csv, Index row, Index column) {
  const std::string_view text = csv.text(row, column);
  if (text == "1" || text == "true" || text == "novel" || text == "yes") {
    return true;
  }
  if (text == "0" || text == "false" || text == "normal" || text == "no") {
    return false;
  }
  throw Error(ErrorKind::data,
              fmt::format("{}: \"{}\" does not say whether the row is novel: 1 and 0, true and "
                          "false, or novel and normal do",
                          csv.place(row, column), text));
}

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

DetectionOptions options_of(const DetectionCall& call) {
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

class DetectionMeasuring {
 public:
  DetectionMeasuring(const DetectionCall& call, const DetectionForm& form)
      : call_(call), form_(form), options_(options_of(call)), validation_(call.validation) {
    load();
    if (!validation_.empty() && std::filesystem::exists(validation_)) {
      validation_csv_.emplace(CsvTable::load(validation_));
    }
    if (!call.episodes.empty() && !by_groups()) {
      types_ = read_episode_types(CsvTable::load(call.episodes));
    }
    if (call.truth == "novel" && csv_.find("p_value") && csv_.find("novelty")) {
      throw Error(ErrorKind::config,
                  fmt::format("{}: this is what `tyto detect` writes, and its column \"novel\" is "
                              "what was decided, not what is true; --truth names a column that is",
                              csv_.name()));
    }
    choose_rows();
  }

  // Those that were asked for; of a run all of its arms.
  [[nodiscard]] const std::vector<std::string>& scores() const { return scores_; }

  [[nodiscard]] DetectionAnswer measure(const std::string& score) const {
    DetectionAnswer answer;
    answer.notes = notes_;
    answer.method = score;
    answer.rule = call_.rule;
    answer.options = options_;
    answer.of_episodes = of_episodes();
    answer.chosen_on = has_validation() ? "validation" : "test";
    Judged test = read(csv_, rows_.measured, score, answer.notes, false);
    std::optional<Judged> validation;
    if (has_validation()) {
      const CsvTable& csv = validation_csv_ ? *validation_csv_ : csv_;
      validation = read(csv, rows_.validation, score, answer.notes, true);
    }
    if (of_episodes()) {
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
    if (of_episodes()) {
      add_delays(answer, test);
    }
    if (form_.bootstrap.replicates > 0) {
      add_intervals(answer, test);
    }
    return answer;
  }

 private:
  [[nodiscard]] bool has_validation() const { return !validation_.empty(); }

  [[nodiscard]] bool by_groups() const { return call_.episodes == kByGroups; }

  [[nodiscard]] bool of_episodes() const { return types_ || by_groups(); }

  // A folder is a run, whose scores make a table of the same kind.
  void load() {
    scores_ = call_.scores;
    if (!std::filesystem::is_directory(call_.file)) {
      if (!form_.arm.empty()) {
        throw Error(ErrorKind::config, fmt::format("{}: a table, so it has no arm {}; only a run "
                                                   "has arms",
                                                   call_.file, form_.arm));
      }
      csv_ = CsvTable::load(call_.file);
      if (scores_.empty()) {
        scores_ = {"score"};
      }
      return;
    }
    DetectionTable table = detection_table(call_.file, form_.arm);
    csv_ = std::move(table.csv);
    if (scores_.empty()) {
      scores_ = std::move(table.scores);
    }
    if (validation_.empty() && table.has_validation) {
      validation_ = "split";
    }
    if (by_groups() && !csv_.find("episode")) {
      throw Error(ErrorKind::data,
                  fmt::format("{}: --episodes groups needs data that name groups of samples, and "
                              "these do not",
                              call_.file));
    }
    if (by_groups() && !table.has_times) {
      notes_.emplace_back(
          "the data have no times: frames of an episode are in the order of the record, and delays "
          "mean nothing");
    }
  }

  void choose_rows() {
    if (validation_.empty() || validation_csv_) {
      rows_.measured = all_rows(csv_);
      if (validation_csv_) {
        rows_.validation = all_rows(*validation_csv_);
      }
      return;
    }
    if (!csv_.find(validation_)) {
      throw Error(ErrorKind::config,
                  fmt::format("--validation {}: is neither a file nor a column of {}", validation_,
                              csv_.name()));
    }
    const Index column = csv_.column(validation_);
    for (Index row = 0; row < csv_.rows(); ++row) {
      const std::string_view word = csv_.text(row, column);
      if (word == "1" || word == "true" || canonical_split(word) == "validate") {
        rows_.validation.push_back(row);
      } else if (word == "train") {
        ++rows_.left_out;
      } else {
        rows_.measured.push_back(row);
      }
    }
    if (rows_.validation.empty()) {
      throw Error(ErrorKind::data, fmt::format("{}: no row is for validation by its column \"{}\"",
                                               csv_.name(), validation_));
    }
  }

  [[nodiscard]] Judged read(const CsvTable& csv, const std::vector<Index>& rows,
                            const std::string& score, std::vector<std::string>& notes,
                            bool for_validation) const {
    if (!for_validation && rows_.left_out > 0) {
      notes.push_back(fmt::format("{} rows for training are left out", rows_.left_out));
    }
    return by_groups() ? read_groups(csv, rows, score, notes, for_validation)
           : types_    ? read_episodes(csv, rows, score, notes)
                       : read_samples(csv, rows, score, notes, for_validation);
  }

  [[nodiscard]] Judged read_groups(const CsvTable& csv, const std::vector<Index>& rows,
                                   const std::string& score, std::vector<std::string>& notes,
                                   bool for_validation) const {
    const Index truth_column = csv.column(call_.truth);
    std::vector<std::uint8_t> is_novel;
    for (const Index row : rows) {
      is_novel.push_back(truth_of_cell(csv, row, truth_column) ? 1 : 0);
    }
    GroupedEpisodes grouped = read_grouped_episodes(csv, rows, score, is_novel);
    if (grouped.late > 0 && !for_validation) {
      notes.push_back(
          fmt::format("in {} novel episodes the novelty comes after the first frame; "
                      "delays count from the first frame on",
                      grouped.late));
    }
    Judged out;
    out.episodes = std::move(grouped.episodes);
    add_units(out);
    return out;
  }

  static void add_units(Judged& out) {
    for (const ScoredEpisode& episode : out.episodes.episodes) {
      out.is_novel.push_back(episode.is_novel ? 1 : 0);
      out.unit.push_back(static_cast<Index>(out.unit.size()));
    }
  }

  [[nodiscard]] Judged read_samples(const CsvTable& csv, const std::vector<Index>& rows,
                                    const std::string& score, std::vector<std::string>& notes,
                                    bool for_validation) const {
    const Index score_column = csv.column(score);
    const Index truth_column = csv.column(call_.truth);
    Judged out;
    Index without = 0;
    std::map<std::string, Index, std::less<>> units;
    for (const Index row : rows) {
      if (for_validation && csv.text(row, score_column).empty()) {
        ++without;  // a threshold can be chosen on the others
        continue;
      }
      const double value = csv.number(row, score_column);
      if (std::isnan(value)) {
        throw Error(ErrorKind::data,
                    fmt::format("{}: the score is not a number", csv.place(row, score_column)));
      }
      out.score.push_back(value);
      out.is_novel.push_back(truth_of_cell(csv, row, truth_column) ? 1 : 0);
      if (!form_.by_group.empty() && !for_validation) {
        const std::string name = unit_name(csv, row);
        out.unit.push_back(units.try_emplace(name, static_cast<Index>(units.size())).first->second);
      } else {
        out.unit.push_back(static_cast<Index>(out.unit.size()));
      }
    }
    if (without > 0) {
      notes.push_back(fmt::format("{} of {} validation rows have no score and are left out",
                                  without, rows.size()));
    }
    return out;
  }

  // Without a column of that name the episode is what stands before the last slash of the id.
  [[nodiscard]] std::string unit_name(const CsvTable& csv, Index row) const {
    if (form_.by_group == "episode" && !csv.find("episode") && csv.find("id")) {
      const std::string id(csv.text(row, csv.column("id")));
      return id.substr(0, id.rfind('/'));
    }
    return std::string(csv.text(row, csv.column(form_.by_group)));
  }

  [[nodiscard]] Judged read_episodes(const CsvTable& csv, const std::vector<Index>& rows,
                                     const std::string& score,
                                     std::vector<std::string>& notes) const {
    Judged out;
    const MissingFrames missing =
        call_.missing == "zero" ? MissingFrames::zero : MissingFrames::skip;
    out.episodes = read_scored_episodes(csv, rows, score, *types_, missing);
    if (out.episodes.rows_left_out > 0) {
      notes.push_back(fmt::format("{} rows of {} are left out, as {} says",
                                  out.episodes.rows_left_out, fmt::join(types_->left_out, ", "),
                                  call_.episodes));
    }
    if (out.episodes.filled > 0) {
      notes.push_back(
          fmt::format("{} frames that no row tells of have the score 0, as published; "
                      "--missing-frames skip leaves them out",
                      out.episodes.filled));
    }
    add_units(out);
    return out;
  }

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
    const bool in_groups = of_episodes() || !form_.by_group.empty();
    const Index units =
        test.unit.empty() ? 0 : *std::max_element(test.unit.begin(), test.unit.end()) + 1;
    answer.drawn = fmt::format(
        "{:g} % intervals: percentiles of {} resamples of {} {}, seed {}, thresholds chosen anew "
        "on each",
        100 * form_.bootstrap.level, form_.bootstrap.replicates, units,
        of_episodes() ? "episodes"
        : in_groups   ? fmt::format("groups of one {}", form_.by_group)
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
  std::string validation_;
  std::vector<std::string> scores_, notes_;
  CsvTable csv_;
  std::optional<CsvTable> validation_csv_;
  std::optional<EpisodeTypes> types_;
  DetectionRows rows_;
};

}  // namespace

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
