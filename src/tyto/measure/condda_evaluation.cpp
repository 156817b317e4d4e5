// SPDX-License-Identifier: Apache-2.0
#include "tyto/measure/condda_evaluation.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/measure/formulas/condda.hpp"
#include "tyto/measure/formulas/programme.hpp"
#include "tyto/record/foreign/answered_test.hpp"

namespace tyto {

namespace {

template <class Number>
nlohmann::json or_null(const std::optional<Number>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json json_of(const ConddaRound& round) {
  return {{"round", round.round},
          {"samples", round.of.samples},
          {"novel_samples", round.of.novel_samples},
          {"clusters", round.clusters},
          {"novel_classes", round.classes},
          {"accuracy", or_null(round.of.accuracy)},
          {"characterisation", or_null(round.of.characterisation)},
          {"purity", or_null(round.of.purity)},
          {"nmi", or_null(round.of.nmi)},
          {"ari", or_null(round.of.ari)},
          {"stability", or_null(round.of.stability)}};
}

}  // namespace

std::string evaluate_condda(const sail_on::TestData& test, const std::string& detection_csv,
                            const std::string& characterization_csv, Index round_size) {
  AnsweredTest answered;
  answered.test = test;
  answered.test.protocol = "CONDDA";  // whatever folder it lies in, these are its rows
  answered.detection = detection_csv;
  answered.characterization = characterization_csv;
  const auto record = answered_record(std::span(&answered, 1), "system", round_size);
  if (record->phases().empty()) {
    throw Error(ErrorKind::data, fmt::format("{}: no sample was answered", test.id));
  }
  const TestStream stream = test_streams(RunView(*record)).begin()->second.front();
  const ConddaScores scores = score_condda(stream);
  const TestScores detection = score_test(stream);

  nlohmann::json out;
  nlohmann::json& condda = out["condda"];
  for (const ProgrammeMeasure<ConddaScores>& measure : condda_measures()) {
    condda[std::string(measure.name.substr(std::string_view("condda_").size()))] =
        or_null(scores.*measure.value);
  }
  condda["samples"] = scores.samples;
  condda["clusters"] = scores.clusters;
  condda["novel_classes"] = scores.novel_classes;
  out["detection"] = {{"change", or_null(detection.change)},
                      {"declared", or_null(detection.declared)},
                      {"detected", or_null(detection.detected)},
                      {"early_alarm", or_null(detection.early)},
                      {"delay", or_null(detection.delay)},
                      {"false_alarms", or_null(detection.alarms_before)},
                      {"threshold", ProgrammeOptions().threshold}};
  out["classes"] = nlohmann::json::object();
  for (const NovelClass& one : scores.classes) {
    out["classes"][one.name] = {
        {"samples", one.samples},
        {"cluster", one.cluster.empty() ? nlohmann::json() : nlohmann::json(one.cluster)},
        {"samples_until_discovery", or_null(one.until)}};
  }
  out["rounds"] = nlohmann::json::array();
  for (const ConddaRound& round : scores.rounds) {
    out["rounds"].push_back(json_of(round));
  }
  return out.dump();
}

}  // namespace tyto
