// SPDX-License-Identifier: Apache-2.0
// tyto runs diff A B: in what two runs differ, and what came of it.
#include <cstdio>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/core/error.hpp"
#include "tyto/engine/compare/run_comparison.hpp"
#include "tyto/measure/intervals/paired.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidestValue = 48;

struct RunsDiffArguments {
  std::string first, second, arm, split = "test";
  std::vector<std::string> measures;
  Index bootstrap = 1000;
  std::uint64_t seed = 1;
  bool common = false, json = false, quiet = false;
};

std::string differences_text(std::string_view what,
                             const std::vector<ConfigDifference>& differences) {
  if (differences.empty()) {
    return fmt::format("{}: the same\n\n", what);
  }
  const auto cell = [](const std::optional<std::string>& text) {
    if (!text || text->size() <= kWidestValue) {
      return text.value_or("-");
    }
    std::size_t end = kWidestValue - 3;
    while (end > 0 && ((*text)[end] & '\xC0') == '\x80') {
      --end;  // not within a character
    }
    return text->substr(0, end) + "...";
  };
  TextTable table({std::string(what), "first", "second"});
  for (const ConfigDifference& one : differences) {
    table.add({one.path, cell(one.first), cell(one.second)});
  }
  return table.text(3) + "\n";
}

// What a p-value is about stands with it: no number here can be quoted without.
std::string p_title(const RunComparison& found) {
  return found.is_about_methods() ? "p (methods)" : "p (models)";
}

std::string outcome_text(const RunComparison& found) {
  TextTable table({"arm", "measure", found.is_about_methods() ? "seeds" : "samples", "first",
                   "second", "difference", "low", "high", p_title(found)});
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3f}", *value) : "-";
  };
  const auto with_sign = [](const std::optional<double>& value) {
    return value ? fmt::format("{:+.3f}", *value) : "-";
  };
  const std::string seeds =
      found.paired ? fmt::to_string(found.first_seeds.size())
                   : fmt::format("{}, {}", found.first_seeds.size(), found.second_seeds.size());
  std::string last;
  for (const ComparedMeasure& row : found.outcome) {
    table.add({row.arm == last ? "" : row.arm, row.title,
               found.is_about_methods() ? seeds : std::to_string(row.samples), number(row.first),
               number(row.second), with_sign(row.difference), with_sign(row.low),
               with_sign(row.high), number(row.p)});
    last = row.arm;
  }
  return table.text(2) + "\n" +
         wrapped("difference: second - first; " + found.interval + ".", 100, 0) +
         wrapped(found.claim, 100, 0);
}

std::string comparison_text(const RunsDiffArguments& given, const RunComparison& found) {
  std::string out = fmt::format("first: {}\nsecond: {}\n\n", given.first, given.second);
  out += differences_text("configuration", found.configuration);
  if (!found.machine.empty()) {
    out += differences_text("program and machine", found.machine);
  }
  for (const auto& [folder, names] :
       {std::pair(&given.first, &found.only_first), {&given.second, &found.only_second}}) {
    if (!names->empty()) {
      out += wrapped(fmt::format("only in {}: {}", *folder, fmt::join(*names, ", ")), 100, 0);
    }
  }
  if (found.arms.empty()) {
    return out + wrapped(
                     "no arm of one name is in both, so there is no outcome to compare; tyto "
                     "measure A B --arm NAME --arm2 NAME compares two of different names",
                     100, 0);
  }
  for (const std::string& warning : found.warnings) {
    out += wrapped("warning: " + warning, 100, 0);
  }
  return out + "\n" + outcome_text(found);
}

Json comparison_json(const RunsDiffArguments& given, const RunComparison& found) {
  const auto value = [](const auto& optional) { return optional ? Json(*optional) : Json(); };
  const auto list = [&](const std::vector<ConfigDifference>& differences) {
    Json out = Json::array();
    for (const ConfigDifference& one : differences) {
      out.push_back(
          {{"path", one.path}, {"first", value(one.first)}, {"second", value(one.second)}});
    }
    return out;
  };
  Json outcome = Json::array();
  for (const ComparedMeasure& row : found.outcome) {
    outcome.push_back({{"arm", row.arm},
                       {"title", row.title},
                       {"phase", row.phase},
                       {"view", row.view},
                       {"measure", row.measure},
                       {"about", found.is_about_methods() ? "methods" : "models"},
                       {"samples", row.samples},
                       {"first", value(row.first)},
                       {"second", value(row.second)},
                       {"difference", value(row.difference)},
                       {"low", value(row.low)},
                       {"high", value(row.high)},
                       {"p", value(row.p)}});
  }
  return {{"first", given.first},
          {"second", given.second},
          {"configuration", list(found.configuration)},
          {"machine", list(found.machine)},
          {"only_first", found.only_first},
          {"only_second", found.only_second},
          {"first_seeds", found.first_seeds},
          {"second_seeds", found.second_seeds},
          {"paired_by_seed", found.paired},
          {"interval", found.interval},
          {"claim", found.claim},
          {"warnings", found.warnings},
          {"outcome", outcome}};
}

void diff_runs(const RunsDiffArguments& given) {
  ComparisonOptions options;
  options.arm = given.arm;
  options.measures = given.measures;
  options.split = given.split;
  options.common = given.common;
  options.intervals = given.bootstrap > 0;
  options.bootstrap.replicates = given.bootstrap;
  options.bootstrap.seed = given.seed;
  Progress progress(given.quiet ? nullptr : stderr);
  try {
    const RunComparison found = compare_runs(given.first, given.second, options, progress);
    std::cout << (given.json ? comparison_json(given, found).dump(2) + "\n"
                             : comparison_text(given, found));
  } catch (const DifferentSamples& problem) {
    throw Error(problem.kind(),
                fmt::format("{}; --common compares what they share", problem.what()));
  }
}

}  // namespace

void add_runs_diff(CLI::App& runs) {
  auto given = std::make_shared<RunsDiffArguments>();
  CLI::App* word = runs.add_subcommand("diff", "In what two runs differ, and what came of it");
  word->add_option("first", given->first, "Folder of a run")->required();
  word->add_option("second", given->second, "Folder of another")->required();
  word->add_option("--arm", given->arm, "This arm only (standard: all that both have)");
  word->add_option("--measure", given->measures,
                   "These instead of the headline, with commas between them")
      ->delimiter(',');
  word->add_option("--split", given->split, "Samples of this split (standard: test)");
  word->add_flag("--common", given->common, "Compare on the samples both have");
  word->add_option("--bootstrap", given->bootstrap, "Resamples for intervals (standard: 1000)")
      ->check(CLI::Range(Index{0}, Index{1'000'000}));
  word->add_option("--seed", given->seed, "Of the resampling (standard: 1)");
  word->add_flag("--json", given->json, "For programs");
  word->add_flag("--quiet", given->quiet, "No progress");
  word->footer(
      "Example: tyto runs diff runs/quickstart runs/quickstart-2\n"
      "         tyto runs diff runs/a runs/b --arm tyto-50pct --measure mcc,nmi --common");
  word->callback([given] {
    Progress::catch_interrupts();
    diff_runs(*given);
  });
}

}  // namespace tyto
