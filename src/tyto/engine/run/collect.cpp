// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/collect.hpp"

#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/files/files.hpp"
#include "tyto/engine/arm/arm_notes.hpp"
#include "tyto/engine/arm/limits.hpp"
#include "tyto/engine/arm/times.hpp"
#include "tyto/engine/run/feedback_table.hpp"
#include "tyto/engine/run/prepared_run.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/engine/run/run_place.hpp"
#include "tyto/measure/calibration/by_epoch.hpp"
#include "tyto/measure/calibration/reliability.hpp"
#include "tyto/measure/table.hpp"
#include "tyto/measure/tables/render.hpp"

namespace tyto {

namespace {

constexpr std::string_view kReliabilityColumns =
    "arm,predictor,feedback,step,phase,split,classes,measure,value\n";

std::string reliability_lines(const Arm& arm, const RunRecord& record) {
  std::string lines;
  for (const ReliabilityRow& row : reliability_rows(record)) {
    for (const auto& [measure, value] : row.values) {
      lines += fmt::format("{},{},{},{},{},{},{},{},{}\n", arm.name, arm.predictor.name,
                           budget_text(arm.budget), row.step, row.phase, row.split, row.classes,
                           measure, value && std::isfinite(*value) ? fmt::to_string(*value) : "");
    }
  }
  return lines;
}

std::string told_knowledge(const ArmNotes& notes) {
  return notes.properties.empty()
             ? ""
             : nlohmann::json::parse(notes.properties).value("prior_knowledge", "");
}

constexpr std::string_view kEpochColumns =
    "arm,predictor,feedback,step,phase,split,samples,epoch,ece10,native_ece10\n";

std::string epoch_lines(const Arm& arm, const RunRecord& record) {
  std::string lines;
  for (const EpochRow& row : epoch_rows(record)) {
    for (std::size_t e = 0; e < row.errors.epoch.size(); ++e) {
      lines +=
          fmt::format("{},{},{},{},{},{},{},{},{},{}\n", arm.name, arm.predictor.name,
                      budget_text(arm.budget), row.step, row.phase, row.split, row.errors.samples,
                      row.errors.epoch[e], row.errors.ece[e], row.errors.native);
    }
  }
  return lines;
}

// The tables of a run, put together arm by arm.
struct Tables {
  std::vector<ArmMeasures> measures;
  std::string alarms{ArmNotes::kAlarmColumns};
  std::string discoveries{ArmNotes::kDiscoveryColumns};
  std::string calibration{ArmNotes::kCalibrationColumns};
  std::string memory{ArmNotes::kMemoryColumns};
  std::string times{ArmNotes::kTimeColumns};
  std::string reliability{kReliabilityColumns};
  std::string epochs{kEpochColumns};
  std::string feedback{FeedbackTable::kColumns};
  std::string limits{LimitBreaches::kColumns};
  std::string properties;

  void add(const std::string& arm, const ArmNotes& notes) {
    alarms += notes.alarms;
    discoveries += notes.discoveries;
    calibration += notes.calibration;
    memory += notes.memory;
    limits += notes.limits;
    times += notes.times;
    properties +=
        fmt::format("{}\"{}\": {}", properties.empty() ? "{\n" : ",\n", arm, notes.properties);
  }

  void write(const RunFolder& folder, bool is_about_confidence) const {
    write_file(folder.file("measures.csv"), to_csv(measures));
    write_file(folder.file("measures.json"), to_json(measures));
    write_file(folder.file("properties.json"), properties + "\n}\n");
    write_file(folder.file("alarms.csv"), alarms);
    write_file(folder.file("discoveries.csv"), discoveries);
    write_file(folder.file("calibration.csv"), calibration);
    write_file(folder.file("memory.csv"), memory);
    write_file(folder.file("times.csv"), times);
    if (is_about_confidence) {
      write_file(folder.file("reliability.csv"), reliability);
    }
    if (epochs.size() > kEpochColumns.size()) {
      write_file(folder.file("reliability_by_epoch.csv"), epochs);
    }
    if (limits.size() > LimitBreaches::kColumns.size()) {
      write_file(folder.file("limits.csv"), limits);
    }
    if (feedback.size() > FeedbackTable::kColumns.size()) {
      write_file(folder.file("feedback.csv"), feedback);
    }
  }
};

}  // namespace

RunOutcome collect_run(const std::filesystem::path& path, const std::string& world,
                       Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const RunFolder folder(path);
  const Experiment experiment = read_ran_experiment(folder);
  const ProtocolSpec& protocol = find_protocol(experiment.protocol.find("kind")->text);
  const TableOptions options{references(experiment.novel_again), {}};
  RunOutcome outcome{path, world, {}, {}, {}, {}};
  Tables tables;
  std::vector<std::pair<std::string, std::string>> knowledge;  // by arm
  for (const Arm& arm : arms_of(experiment)) {
    progress.note("measuring");
    progress.pulse();
    const ArmNotes notes = read_arm_notes(folder, arm.name);
    tables.add(arm.name, notes);
    for (const auto* sentences : {&notes.warnings, &notes.cautions}) {
      for (const std::string& sentence : *sentences) {
        outcome.warnings.push_back(fmt::format("{}: {}", arm.name, sentence));
      }
    }
    for (const std::string& remark : notes.remarks) {
      outcome.remarks.push_back(fmt::format("{}: {}", arm.name, remark));
    }
    const auto begin = Clock::now();
    const StoredRecord record(folder, arm.name, protocol.order);
    ArmMeasures measures{{{"arm", arm.name},
                          {"predictor", arm.predictor.name},
                          {"feedback", budget_text(arm.budget)}},
                         {}};
    if (record.truth() != nullptr) {
      measures.rows = measure_run(record, options);
    }
    if (protocol.is_about_confidence && record.truth() != nullptr) {
      tables.reliability += reliability_lines(arm, record);
    }
    if (experiment.record.epochs && record.truth() != nullptr) {
      tables.epochs += epoch_lines(arm, record);
    }
    if (const FeedbackTable feedback = feedback_table(arm, record); feedback.remark) {
      tables.feedback += feedback.lines;
      outcome.remarks.push_back(fmt::format("{}: {}", arm.name, *feedback.remark));
    }
    tables.times +=
        measuring_line(arm.name, std::chrono::duration<double>(Clock::now() - begin).count());
    outcome.arms.push_back({arm.name, arm.predictor.name, budget_text(arm.budget),
                            headline(measures.rows, protocol.headline), measures.rows,
                            forms_of(arm.predictor), told_knowledge(notes)});
    knowledge.emplace_back(arm.name, outcome.arms.back().prior_knowledge);
    tables.measures.push_back(std::move(measures));
  }
  if (const auto sentence = knowledge_difference(knowledge)) {
    outcome.warnings.push_back(*sentence);
  }
  tables.write(folder, protocol.is_about_confidence);
  RunInfo info = read_run_info(folder.file("run.json"));
  info.done = true;
  info.arms = outcomes_of(outcome);
  write_run_info(folder.file("run.json"), info);
  return outcome;
}

}  // namespace tyto
