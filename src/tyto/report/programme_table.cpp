// SPDX-License-Identifier: Apache-2.0
#include "tyto/report/programme_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

std::string share_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.3f}", *value) : "-";
}

std::string place_text(const std::optional<Index>& value) {
  return value ? fmt::format("{}", *value + 1) : "-";
}

std::string count_text(const std::optional<double>& value) {
  return value ? fmt::format("{:g}", *value) : "-";
}

std::string tests_table(const ProgrammeArm& arm) {
  const bool with_baseline = !arm.baseline.empty();
  std::vector<std::string> header{"test",   "samples", "change", "declared", "delay",
                                  "before", "after",   "last",   "novel",    "kept"};
  if (with_baseline) {
    header.insert(header.end(), {"nrp", "opti"});
  }
  TextTable table(header);
  for (const TestScores& test : arm.tests) {
    std::vector<std::string> row{test.test,
                                 fmt::format("{}", test.samples),
                                 place_text(test.change),
                                 place_text(test.declared),
                                 test.early == 1.0 ? "early" : count_text(test.delay),
                                 share_text(test.before),
                                 share_text(test.after),
                                 share_text(test.last),
                                 share_text(test.novel),
                                 share_text(test.own_nrp)};
    if (with_baseline) {
      const auto found =
          std::find_if(arm.baseline.begin(), arm.baseline.end(),
                       [&](const BaselineScores& other) { return other.test == test.test; });
      const bool has = found != arm.baseline.end();
      row.push_back(has ? share_text(found->nrp) : "-");
      row.push_back(has ? share_text(found->opti) : "-");
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string clusters_table(const ProgrammeArm& arm) {
  TextTable table({"test", "clusters", "novel classes", "discovered", "samples until",
                   "characterised", "accuracy", "purity", "nmi", "ari", "stability"});
  for (const ConddaScores& test : arm.condda) {
    table.add({test.test, fmt::format("{}", test.clusters), fmt::format("{}", test.novel_classes),
               share_text(test.discovered), share_text(test.until),
               share_text(test.characterisation), share_text(test.accuracy),
               share_text(test.purity), share_text(test.nmi), share_text(test.ari),
               share_text(test.stability)});
  }
  return table.text();
}

}  // namespace

std::vector<ProgrammeArm> programme_arms(const std::string& name, const RunRecord& record,
                                         const Selection& only, const RunRecord* baseline) {
  const RunView run(record, only);
  const ScoresBySetting scores = programme_scores(run);
  if (scores.empty()) {
    throw Error(ErrorKind::config,
                fmt::format("{}: is no run of tests: its samples do not say `test`, `novel` and "
                            "`changed`",
                            name));
  }
  const ConddaBySetting condda = condda_scores(run);
  const ScoresBySetting others =
      baseline != nullptr ? programme_scores(RunView(*baseline)) : ScoresBySetting();
  std::vector<ProgrammeArm> arms;
  for (const auto& [setting, tests] : scores) {
    ProgrammeArm& arm = arms.emplace_back(ProgrammeArm{name, setting, tests, {}, {}});
    if (baseline != nullptr) {
      arm.baseline = against_baseline(tests, baseline_tests(others, setting));
    }
    if (const auto found = condda.find(setting); found != condda.end()) {
      arm.condda = found->second;
    }
  }
  return arms;
}

std::vector<ProgrammeRow> summary_of(const ProgrammeArm& arm, const BootstrapOptions& bootstrap) {
  std::vector<ProgrammeRow> rows = programme_summary(arm.tests, bootstrap);
  const auto append = [&](std::vector<ProgrammeRow> more) {
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  };
  if (!arm.baseline.empty()) {
    append(baseline_summary(arm.baseline, bootstrap));
  }
  if (!arm.condda.empty()) {
    append(condda_summary(arm.condda, bootstrap));
  }
  return rows;
}

std::string summary_table(std::span<const ProgrammeRow> rows) {
  TextTable table({"over tests", "", "tests", "value", "from", "to"});
  for (const ProgrammeRow& row : rows) {
    if (row.value) {
      table.add({row.name, row.programme_name, fmt::format("{}", row.tests), share_text(row.value),
                 share_text(row.interval.low), share_text(row.interval.high)});
    }
  }
  return table.text(2);
}

std::string programme_table(const ProgrammeArm& arm, std::span<const ProgrammeRow> summary) {
  std::string text = fmt::format("{}, {} detection\n\n{}", arm.name, arm.setting, tests_table(arm));
  if (!arm.condda.empty()) {
    text += "\n" + clusters_table(arm);
  }
  return text + "\n" + summary_table(summary);
}

}  // namespace tyto
