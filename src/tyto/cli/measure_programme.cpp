// SPDX-License-Identifier: Apache-2.0
#include "tyto/cli/measure_programme.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/named.hpp"
#include "tyto/engine/use/measure_target.hpp"
#include "tyto/record/foreign/sail_on_results.hpp"
#include "tyto/report/programme_table.hpp"
#include "tyto/sail_on/released_input.hpp"

namespace tyto {

namespace {

using ProgrammeJson = nlohmann::ordered_json;

template <class Number>
ProgrammeJson json_or_null(const std::optional<Number>& value) {
  return value ? ProgrammeJson(*value) : ProgrammeJson();
}

ProgrammeJson json_of(const ProgrammeRow& row) {
  return {{"measure", row.name},
          {"programme", row.programme_name},
          {"tests", row.tests},
          {"value", json_or_null(row.value)},
          {"low", json_or_null(row.interval.low)},
          {"high", json_or_null(row.interval.high)}};
}

// Values of every measure by test.
template <class Scores>
void add_columns(ProgrammeJson& object, std::span<const ProgrammeMeasure<Scores>> measures,
                 const std::vector<Scores>& all, const std::string& test) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Scores& one) { return one.test == test; });
  if (found == all.end()) {
    return;
  }
  for (const ProgrammeMeasure<Scores>& measure : measures) {
    object[std::string(measure.name)] = json_or_null((*found).*measure.value);
  }
}

ProgrammeJson json_of(const ProgrammeArm& arm, const std::vector<ProgrammeRow>& summary) {
  ProgrammeJson out{{"name", arm.name}, {"setting", arm.setting}};
  for (const TestScores& test : arm.tests) {
    ProgrammeJson one{{"test", test.test},
                      {"samples", test.samples},
                      {"change", json_or_null(test.change)},
                      {"declared", json_or_null(test.declared)}};
    add_columns(one, programme_measures(), arm.tests, test.test);
    add_columns(one, baseline_measures(), arm.baseline, test.test);
    add_columns(one, condda_measures(), arm.condda, test.test);
    out["tests"].push_back(std::move(one));
  }
  for (const ProgrammeRow& row : summary) {
    out["over_tests"].push_back(json_of(row));
  }
  return out;
}

// NaN is no JSON: null.
ProgrammeJson json_of(const sail_on::ReleasedValue& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return std::isnan(*number) ? ProgrammeJson() : ProgrammeJson(*number);
  }
  return std::holds_alternative<bool>(value) ? ProgrammeJson(std::get<bool>(value))
                                             : ProgrammeJson(std::get<std::int64_t>(value));
}

class ProgrammeAnswer {
 public:
  explicit ProgrammeAnswer(const ProgrammeCall& call) : call_(call) {}

  void add(const ProgrammeArm& arm) {
    const auto summary = summary_of(arm, call_.bootstrap);
    if (call_.json) {
      json_.push_back(json_of(arm, summary));
    } else {
      text_ += (text_.empty() ? "" : "\n\n") + programme_table(arm, summary);
    }
  }

  void add_released(const SailOnSession& session, const AnsweredTest& answered) {
    const auto input =
        sail_on::released_input(answered.test, answered.detection, answered.classification);
    if (!call_.json) {
      text_ += fmt::format("{} {}\n{}\n", session.id, answered.test.id,
                           sail_on::evaluate_released(input));
      return;
    }
    ProgrammeJson one{{"session", session.id}, {"test", answered.test.id}};
    for (const auto& [name, object] : sail_on::released_objects(input)) {
      for (const auto& [key, value] : object) {
        one[name][key] = json_of(value);
      }
    }
    json_.push_back(std::move(one));
  }

  void note(const std::string& line) { std::cerr << "tyto measure: " << line << "\n"; }

  void finish() const {
    const std::string content = call_.json ? json_.dump(1) + "\n" : text_;
    if (call_.out.empty()) {
      std::cout << content;
    } else {
      write_file(call_.out, content);
    }
  }

 private:
  const ProgrammeCall& call_;
  std::string text_;
  ProgrammeJson json_ = ProgrammeJson::array();
};

const SailOnSession& session_called(const std::vector<SailOnSession>& sessions,
                                    const std::string& id) {
  std::vector<std::string> names;
  for (const SailOnSession& session : sessions) {
    if (session.id == id) {
      return session;
    }
    names.push_back(session.id);
  }
  throw unknown_name("session", id, names);
}

void measure_results(const ProgrammeCall& call, ProgrammeAnswer& answer) {
  if (!call.targets.empty() || call.data.size() != 1) {
    throw Error(ErrorKind::config, "--sail-on RESULTS needs --data FOLDER and no other target");
  }
  const sail_on::DataFolder data(call.data.front());
  const auto sessions = read_sessions(call.results, data);
  const SailOnSession* baseline =
      call.baseline.empty() ? nullptr : &session_called(sessions, call.baseline);
  const auto baseline_record =
      baseline == nullptr ? nullptr : answered_record(baseline->tests, baseline->setting);
  Index measured = 0;
  for (const SailOnSession& session : sessions) {
    for (const std::string& line : session.left_out) {
      answer.note(line);
    }
    if (session.tests.empty()) {
      continue;
    }
    ++measured;
    if (call.form == "released") {
      for (const AnsweredTest& test : session.tests) {
        try {
          answer.add_released(session, test);
        } catch (const Error& problem) {
          answer.note(fmt::format("session {}: {}: {}", session.id, test.test.id, problem.what()));
        }
      }
      continue;
    }
    const auto record = answered_record(session.tests, session.setting);
    const bool is_baseline = &session == baseline;
    for (const ProgrammeArm& arm :
         programme_arms(fmt::format("{} ({})", session.id, session.detector), *record, call.only,
                        is_baseline ? nullptr : baseline_record.get())) {
      answer.add(arm);
    }
  }
  if (measured == 0) {
    throw Error(ErrorKind::data, fmt::format("{}: no session has results of a test in {}",
                                             call.results, call.data.front()));
  }
}

// RUN[:ARM]; a folder may have a colon in its name.
MeasureTarget open_baseline(const std::string& text) {
  std::string path = text, arm;
  if (const auto colon = text.rfind(':'); !std::filesystem::exists(text) && colon != text.npos) {
    path = text.substr(0, colon);
    arm = text.substr(colon + 1);
  }
  auto targets = open_targets(path, arm, {}, false);
  if (targets.size() > 1) {
    std::string names;
    for (const MeasureTarget& target : targets) {
      names += (names.empty() ? "" : ", ") + target.leading.front().second;
    }
    throw Error(ErrorKind::config,
                fmt::format("--baseline {}: has several arms; choose one, as in {}:{}; there are "
                            "{}",
                            text, path, targets.front().leading.front().second, names));
  }
  return std::move(targets.front());
}

void measure_against(const ProgrammeCall& call, ProgrammeAnswer& answer) {
  if (call.targets.size() != 1) {
    throw Error(ErrorKind::config, "--baseline is for one run of tests");
  }
  if (call.form == "released") {
    throw Error(ErrorKind::config, "--form released needs --sail-on: it reads posted rows");
  }
  const MeasureTarget baseline = open_baseline(call.baseline);
  for (const MeasureTarget& target : open_targets(call.targets.front(), call.arm, {}, false)) {
    for (const ProgrammeArm& arm :
         programme_arms(target.name, *target.record, call.only, baseline.record.get())) {
      answer.add(arm);
    }
  }
}

}  // namespace

void add_programme_options(CLI::App* command, ProgrammeCall& call) {
  const std::string group = "Tests of a SAIL-ON evaluation";
  command
      ->add_option("--sail-on", call.results,
                   "Results folder of an evaluation server; --data is its folder of tests")
      ->group(group);
  command
      ->add_option("--baseline", call.baseline,
                   "What M3 to M6 are measured against: RUN or RUN:ARM, or with --sail-on a "
                   "session")
      ->group(group);
  command
      ->add_option("--form", call.form,
                   "sound (standard), or released: what the public server computes, with --sail-on")
      ->check(CLI::IsMember({"sound", "released"}))
      ->group(group);
}

void measure_programme(const ProgrammeCall& call) {
  ProgrammeAnswer answer(call);
  if (!call.results.empty()) {
    measure_results(call, answer);
  } else {
    measure_against(call, answer);
  }
  answer.finish();
}

}  // namespace tyto
