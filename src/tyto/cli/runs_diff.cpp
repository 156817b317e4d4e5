// SPDX-License-Identifier: Apache-2.0
// tyto runs diff A B: in what two runs differ, and what came of it.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tyto/cli/commands.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/named.hpp"
#include "tyto/engine/compare/config_difference.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/engine/use/measure_target.hpp"
#include "tyto/measure/intervals/paired.hpp"
#include "tyto/measure/intervals/spread.hpp"
#include "tyto/measure/run_registry.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/report/text_table.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kWidestValue = 48;

struct RunsDiffArguments {
  std::string first, second, arm, split = "test";
  std::vector<std::string> measures;
  Index bootstrap = 1000;
  std::uint64_t seed = 1;
  bool common = false, json = false, quiet = false;
};

struct Compared {  // one measure of one arm
  std::string arm, title, phase, view, measure;
  Index samples = 0;  // seeds, where there are several
  std::optional<double> first, second, difference, low, high, p;
};

struct ArmNames {
  std::vector<std::string> both, only_first, only_second;
};

std::vector<std::string> arm_names(const RunInfo& info) {
  std::vector<std::string> names;
  for (const RunInfo::Outcome& arm : info.arms) {
    names.push_back(arm.arm);
  }
  return names;
}

RunInfo info_in(const std::string& folder) {
  const fs::path file = fs::path(folder) / "run.json";
  if (!fs::is_directory(folder)) {
    throw Error(ErrorKind::config, fmt::format("{}: no folder, so no run", folder));
  }
  if (!fs::exists(file)) {
    throw Error(ErrorKind::state,
                fmt::format("{}: a folder without a run (no run.json in it)", folder));
  }
  RunInfo info = read_run_info(file);
  if (!info.done) {
    throw Error(ErrorKind::state,
                fmt::format("{}: the run is not finished; tyto run --resume continues it", folder));
  }
  return info;
}

class RunsDiff {
 public:
  explicit RunsDiff(const RunsDiffArguments& given)
      : given_(given),
        progress_(given.quiet ? nullptr : stderr),
        first_(info_in(given.first)),
        second_(info_in(given.second)) {
    if (first_.seeds.empty() != second_.seeds.empty()) {
      const bool is_first = second_.seeds.empty();
      const std::string& several = is_first ? given.first : given.second;
      const auto seed = (is_first ? first_ : second_).seeds.front();
      throw Error(ErrorKind::config,
                  fmt::format("{} holds a run for each of several seeds and {} is a single run; "
                              "compare one seed of it, as in {}",
                              several, is_first ? given.second : given.first,
                              (fs::path(several) / fmt::format("seed-{}", seed)).string()));
    }
    match_arms();
  }

  void run() {
    configuration_ = config_differences(load_yaml(fs::path(given_.first) / "experiment.yaml"),
                                        load_yaml(fs::path(given_.second) / "experiment.yaml"));
    for (const auto& [name, a, b] :
         {std::tuple("version", first_.version, second_.version),
          {"revision", first_.revision, second_.revision},
          {"threads", std::to_string(first_.threads), std::to_string(second_.threads)},
          {"blas_kernel", first_.blas_kernel, second_.blas_kernel}}) {
      if (a != b) {
        machine_.push_back({name, a, b});
      }
    }
    for (const std::string& arm : arms_.both) {
      first_.seeds.empty() ? compare_samples(arm) : compare_seeds(arm);
    }
    std::cout << (given_.json ? json().dump(2) + "\n" : text());
  }

 private:
  void match_arms() {
    const auto ours = arm_names(first_);
    const auto theirs = arm_names(second_);
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const std::string& name : ours) {
      (has(theirs, name) ? arms_.both : arms_.only_first).push_back(name);
    }
    std::copy_if(theirs.begin(), theirs.end(), std::back_inserter(arms_.only_second),
                 [&](const std::string& name) { return !has(ours, name); });
    if (given_.arm.empty()) {
      return;
    }
    for (const auto& [folder, names] :
         {std::pair(&given_.first, &ours), {&given_.second, &theirs}}) {
      if (!has(*names, given_.arm)) {
        throw unknown_name("arm of " + *folder, given_.arm, *names);
      }
    }
    arms_ = {{given_.arm}, {}, {}};
  }

  // The numbers of the headline that are of the split compared; those of `test` may be asked of
  // another one.
  [[nodiscard]] std::vector<HeadlineNumber> legend() const {
    std::vector<HeadlineNumber> numbers = headline_legend(find_protocol(first_.protocol).headline);
    std::erase_if(numbers, [](const HeadlineNumber& number) {  // a run has no samples to pair
      return number.split != "test" || find_run_measure(number.measure) != nullptr;
    });
    return numbers;
  }

  // The headline, or what was asked for: rows over all increments of one split.
  [[nodiscard]] std::vector<std::string> measures() const {
    if (!given_.measures.empty()) {
      return given_.measures;
    }
    std::vector<std::string> names;
    for (const HeadlineNumber& number : legend()) {
      names.push_back(number.measure);
    }
    return names;
  }

  void compare_samples(const std::string& arm) {
    const auto first = open_targets(given_.first, arm, {}, false);
    const auto second = open_targets(given_.second, arm, {}, false);
    TableOptions options;
    options.only.split = given_.split;
    options.measures = measures();
    const auto pairs =
        pair_series(*first.front().record, *second.front().record, options, given_.common);
    BootstrapOptions bootstrap;
    bootstrap.replicates = given_.bootstrap;
    bootstrap.seed = given_.seed;
    const auto rows = measure_differences(pairs, measure_columns(options.measures),
                                          given_.bootstrap > 0 ? &bootstrap : nullptr, progress_);
    const auto add = [&](const PairedRow& row, const std::string& title) {
      compared_.push_back({arm, title, row.first.phase, row.first.view, row.first.measure,
                           row.first.samples, row.first.value, row.second, row.difference,
                           row.interval.low, row.interval.high, row.p});
    };
    if (!given_.measures.empty()) {
      for (const PairedRow& row : rows) {
        if (row.first.step == kAllSteps) {
          add(row, fmt::format("{} ({}, {})", row.first.measure, row.first.phase, row.first.view));
        }
      }
      return;
    }
    for (const HeadlineNumber& number : legend()) {
      for (const PairedRow& row : rows) {
        if (row.first.step == kAllSteps && row.first.phase == number.phase &&
            row.first.view == number.view && row.first.measure == number.measure) {
          add(row, number.title);
        }
      }
    }
  }

  // Seeds in common, each with the run of the same seed; the ends are those of the differences.
  void compare_seeds(const std::string& arm) {
    if (!given_.measures.empty() || given_.split != "test") {
      throw Error(ErrorKind::config,
                  "--measure and --split compare samples: they need two runs of one seed each, as "
                  "in " +
                      (fs::path(given_.first) / "seed-1").string());
    }
    std::vector<std::uint64_t> seeds;
    for (const std::uint64_t seed : first_.seeds) {
      if (std::find(second_.seeds.begin(), second_.seeds.end(), seed) != second_.seeds.end()) {
        seeds.push_back(seed);
      }
    }
    if (seeds.empty()) {
      throw Error(ErrorKind::data,
                  fmt::format("{} (seeds {}) and {} (seeds {}) share no seed", given_.first,
                              seed_text(first_), given_.second, seed_text(second_)));
    }
    for (const HeadlineNumber& number : headline_legend(find_protocol(first_.protocol).headline)) {
      std::vector<std::optional<double>> a, b, difference;
      for (const std::uint64_t seed : seeds) {
        a.push_back(headline_of(given_.first, seed, arm, number.name));
        b.push_back(headline_of(given_.second, seed, arm, number.name));
        difference.push_back(a.back() && b.back() ? std::optional(*b.back() - *a.back())
                                                  : std::nullopt);
      }
      const Spread spread = spread_of(difference);
      compared_.push_back({arm, number.title, number.phase, number.view, number.measure,
                           static_cast<Index>(seeds.size()), spread_of(a).mean, spread_of(b).mean,
                           spread.mean, spread.low, spread.high, std::nullopt});
    }
  }

  static std::optional<double> headline_of(const std::string& folder, std::uint64_t seed,
                                           const std::string& arm, const std::string& name) {
    const RunInfo info = info_in((fs::path(folder) / fmt::format("seed-{}", seed)).string());
    for (const RunInfo::Outcome& outcome : info.arms) {
      if (outcome.arm == arm) {
        return outcome.number(name);
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string interval() const {
    if (!first_.seeds.empty()) {
      return "means over the seeds both have; low and high: least and greatest difference of a "
             "seed";
    }
    return given_.bootstrap == 0
               ? "no intervals were asked for"
               : fmt::format(
                     "low and high: 95 % interval of the difference by {} paired resamples of the "
                     "samples within each increment, seed {}; p: two-sided; none for measures that "
                     "hang on the order of the samples",
                     given_.bootstrap, given_.seed);
  }

  [[nodiscard]] std::string text() const {
    std::string out = fmt::format("first: {}\nsecond: {}\n\n", given_.first, given_.second);
    out += differences_text("configuration", configuration_);
    if (!machine_.empty()) {
      out += differences_text("program and machine", machine_);
    }
    for (const auto& [folder, names] :
         {std::pair(&given_.first, &arms_.only_first), {&given_.second, &arms_.only_second}}) {
      if (!names->empty()) {
        out += wrapped(fmt::format("only in {}: {}", *folder, fmt::join(*names, ", ")), 100, 0);
      }
    }
    if (arms_.both.empty()) {
      return out + wrapped(
                       "no arm of one name is in both, so there is no outcome to compare; tyto "
                       "measure A B --arm NAME --arm2 NAME compares two of different names",
                       100, 0);
    }
    TextTable table({"arm", "measure", first_.seeds.empty() ? "samples" : "seeds", "first",
                     "second", "difference", "low", "high", "p"});
    std::string last;
    for (const Compared& row : compared_) {
      const auto number = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.3f}", *value) : "-";
      };
      const auto with_sign = [](const std::optional<double>& value) {
        return value ? fmt::format("{:+.3f}", *value) : "-";
      };
      table.add({row.arm == last ? "" : row.arm, row.title, std::to_string(row.samples),
                 number(row.first), number(row.second), with_sign(row.difference),
                 with_sign(row.low), with_sign(row.high), number(row.p)});
      last = row.arm;
    }
    return out + "\n" + table.text(2) + "\n" +
           wrapped("difference: second - first; " + interval() + ".", 100, 0);
  }

  static std::string differences_text(std::string_view what,
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

  [[nodiscard]] Json json() const {
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
    for (const Compared& row : compared_) {
      outcome.push_back({{"arm", row.arm},
                         {"title", row.title},
                         {"phase", row.phase},
                         {"view", row.view},
                         {"measure", row.measure},
                         {first_.seeds.empty() ? "samples" : "seeds", row.samples},
                         {"first", value(row.first)},
                         {"second", value(row.second)},
                         {"difference", value(row.difference)},
                         {"low", value(row.low)},
                         {"high", value(row.high)},
                         {"p", value(row.p)}});
    }
    return {{"first", given_.first},
            {"second", given_.second},
            {"configuration", list(configuration_)},
            {"machine", list(machine_)},
            {"only_first", arms_.only_first},
            {"only_second", arms_.only_second},
            {"interval", interval()},
            {"outcome", outcome}};
  }

  const RunsDiffArguments& given_;
  Progress progress_;
  RunInfo first_, second_;
  ArmNames arms_;
  std::vector<ConfigDifference> configuration_, machine_;
  std::vector<Compared> compared_;
};

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
    RunsDiff(*given).run();
  });
}

}  // namespace tyto
