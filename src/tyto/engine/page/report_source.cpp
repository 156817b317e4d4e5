// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/page/report_source.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/build_info.hpp"
#include "tyto/core/csv/csv.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/named.hpp"
#include "tyto/engine/arm/arm_notes.hpp"
#include "tyto/engine/page/report_samples.hpp"
#include "tyto/engine/run/prepared_run.hpp"
#include "tyto/engine/run/run_info.hpp"
#include "tyto/engine/use/arm_records.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/record/run_folder.hpp"
#include "tyto/report/page/page.hpp"

namespace tyto {

namespace {

namespace fs = std::filesystem;

// One seed's folder.
struct SeedFolder {
  RunFolder folder;
  RunInfo info;
  Experiment experiment;
  ArmRecords records;
};

PageTable read_table(const CsvTable& csv) {
  PageTable table{csv.columns(), {}};
  for (Index row = 0; row < csv.rows(); ++row) {
    auto& cells = table.rows.emplace_back();
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      cells.emplace_back(csv.text(row, static_cast<Index>(column)));
    }
  }
  return table;
}

// manifest.csv has a row per sample; what a page needs of it are counts.
std::vector<ShownCount> count_shown(const fs::path& file, const PhaseOrder& order) {
  const CsvTable csv = CsvTable::load(file);
  const Index label = csv.column("label");
  const Index split = csv.column("split");
  const Index novelty = csv.column("novelty");
  const std::vector<Index> step = csv.counts(csv.column("increment"));
  std::map<std::tuple<Index, std::string_view, std::string_view, bool>, Index> counts;
  for (Index row = 0; row < csv.rows(); ++row) {
    ++counts[{step[static_cast<std::size_t>(row)], csv.text(row, split), csv.text(row, label),
              csv.text(row, novelty) == "novel"}];
  }
  std::vector<ShownCount> shown;
  for (const auto& [key, samples] : counts) {
    const auto& [at, side, name, novel] = key;
    shown.push_back({at, std::string(side), std::string(name), novel, samples});
  }
  std::stable_sort(shown.begin(), shown.end(), [&](const ShownCount& a, const ShownCount& b) {
    return order.before({a.step, "", a.split}, {b.step, "", b.split});
  });
  return shown;
}

// While a run goes on, what its arms have written so far.
PageTable times_of(const SeedFolder& from) {
  const fs::path file = from.folder.file("times.csv");
  if (fs::exists(file)) {
    return read_table(CsvTable::load(file));
  }
  std::vector<std::string> arms;
  for (const Arm& arm : arms_of(from.experiment)) {
    arms.push_back(arm.name);
  }
  return read_table(CsvTable::parse(joined_times(from.folder, arms), file.string()));
}

PageSeed read_seed(const SeedFolder& from) {
  PageSeed seed;
  seed.seed = from.info.seed;
  seed.folder = from.folder.path().string();
  if (fs::exists(from.folder.file("manifest.csv"))) {
    seed.shown = count_shown(from.folder.file("manifest.csv"), from.info.order);
  }
  for (const char* name :
       {"alarms.csv", "calibration.csv", "discoveries.csv", "memory.csv", "search.csv"}) {
    if (fs::exists(from.folder.file(name))) {
      seed.tables.emplace(name, read_table(CsvTable::load(from.folder.file(name))));
    }
  }
  seed.tables.emplace("times.csv", times_of(from));
  if (const fs::path file = from.folder.file("properties.json"); fs::exists(file)) {
    seed.texts.emplace("properties.json", read_file(file));
  }
  return seed;
}

SeedFolder open_seed(const fs::path& path) {
  const RunFolder folder(path);
  const RunInfo info = open_run(folder);
  return {folder, info, read_ran_experiment(folder), ArmRecords(folder, info)};
}

std::vector<SeedFolder> open_seeds(const fs::path& path, const RunInfo& info) {
  std::vector<SeedFolder> seeds;
  if (info.seeds.empty()) {
    seeds.push_back(open_seed(path));
  }
  for (const std::uint64_t seed : info.seeds) {
    const RunFolder own = RunFolder(path).seed(seed);
    if (own.exists()) {
      seeds.push_back(open_seed(own.path()));
    }
  }
  return seeds;
}

// None where nothing detects, or by a rule of its own that keeps no error.
std::optional<double> promised_error(const PredictorConfig& config) {
  for (const auto& [slot, choice] : config.parts) {
    const bool detects = slot == Slot::detector || std::find(choice.also.begin(), choice.also.end(),
                                                             Slot::detector) != choice.also.end();
    if (detects) {
      const auto part = find_part(slot, choice.name).make(choice.options, slot_name(slot));
      const auto* detector = dynamic_cast<const Detector*>(part.get());
      return detector == nullptr || detector->own_threshold()
                 ? std::nullopt
                 : std::optional(config.accepted_error);
    }
  }
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> facts_of(const RunInfo& info,
                                                          const Experiment& experiment) {
  return {{"version", fmt::format("{} ({})", info.version, info.revision)},
          {info.seeds.empty() ? "seed" : "seeds", seed_text(info)},
          {"threads", fmt::format("{}", info.threads)},
          {"BLAS kernel", info.blas_kernel},
          {"world", experiment.world.find("kind")->text},
          {"protocol", experiment.protocol.find("kind")->text},
          {"finished", info.done ? "yes" : "no"}};
}

std::vector<std::string> warnings_of(const PageRun& run, const RunInfo& info,
                                     const SeedFolder& first) {
  std::vector<std::string> warnings;
  for (const Arm& arm : arms_of(first.experiment)) {
    for (const std::string& caution : read_cautions(first.folder, arm.name)) {
      warnings.push_back(fmt::format("{}: {}", arm.name, caution));
    }
  }
  if (!info.done) {
    warnings.push_back(
        fmt::format("{} is not finished: this is what it had committed so far.", run.name));
  }
  if (const BuildInfo build = build_info(); info.version != build.version) {
    warnings.push_back(fmt::format("{} was run by Tyto {}, this page was made by {}.", run.name,
                                   info.version, build.version));
  }
  return warnings;
}

void expect_arms(const RunReference& reference, const std::vector<Arm>& there) {
  std::vector<std::string> names;
  for (const Arm& arm : there) {
    names.push_back(arm.name);
  }
  for (const std::string& name : reference.arms) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw unknown_name(fmt::format("arm of {}", reference.folder.string()), name, names);
    }
  }
}

void add_arms(PageSource& source, const RunReference& reference, std::vector<SeedFolder>& seeds) {
  PageRun& run = source.runs.back();
  const std::vector<Arm> arms = arms_of(seeds.front().experiment);
  expect_arms(reference, arms);
  const std::size_t before = source.arms.size();
  std::vector<std::string> not_begun;
  for (const Arm& arm : arms) {
    if (!reference.arms.empty() &&
        std::find(reference.arms.begin(), reference.arms.end(), arm.name) == reference.arms.end()) {
      continue;
    }
    PageArm made{static_cast<Index>(source.arms.size()),
                 source.runs.size() - 1,
                 arm.name,
                 arm.predictor.name,
                 budget_text(arm.budget),
                 promised_error(arm.predictor),
                 {}};
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      if (auto record = seeds[s].records.open(arm.name)) {
        made.seeds.push_back({s, std::move(record)});
      }
    }
    if (made.seeds.empty()) {
      not_begun.push_back(arm.name);
    } else {
      source.arms.push_back(std::move(made));
    }
  }
  for (const SeedFolder& seed : seeds) {
    seed.records.expect_whole();
  }
  if (source.arms.size() == before) {
    throw Error(ErrorKind::state,
                fmt::format("{}: nothing of it is committed yet, so there is nothing to report",
                            reference.arms.empty()
                                ? run.folder
                                : fmt::format("{}:{}", run.folder, reference.arms.front())));
  }
  if (!not_begun.empty()) {
    run.warnings.push_back(
        fmt::format("Not begun yet in {}: {}.", run.name, fmt::join(not_begun, ", ")));
  }
}

// What the seeds of a run stand for, by its experiment.
std::string repeat_of(const ConfigNode& experiment) {
  const ConfigNode* folds = experiment.find("each_fold");
  const ConfigNode* each = experiment.find("each");
  if (folds != nullptr && folds->text == "true") {
    return "fold";
  }
  return each != nullptr && !each->items.empty() ? "dataset" : "seed";
}

void add_run(PageSource& source, const RunReference& reference, const Catalog& catalog) {
  const RunFolder folder(reference.folder);
  const RunInfo info = open_run(folder);
  std::vector<SeedFolder> seeds = open_seeds(reference.folder, info);
  if (seeds.empty()) {
    throw Error(ErrorKind::state,
                fmt::format("{}: none of its {} seeds has begun, so there is nothing to report",
                            reference.folder.string(), info.seeds.size()));
  }
  const SeedFolder& first = seeds.front();
  PageRun run;
  run.number = static_cast<Index>(source.runs.size());
  run.name = info.name;
  run.folder = reference.folder.string();
  run.protocol = first.experiment.protocol.find("kind")->text;
  run.headline = find_protocol(run.protocol).headline;
  run.done = info.done;
  run.repeat = repeat_of(load_yaml(folder.file("experiment.yaml")));
  run.experiment = read_file(folder.file("experiment.yaml"));
  run.prior_knowledge = first.experiment.prior_knowledge.text();
  run.command = fmt::format("tyto run {}/experiment.yaml --out {}-again --threads {}", run.folder,
                            run.folder, info.threads);
  run.novel_again = first.experiment.novel_again;
  run.facts = facts_of(info, first.experiment);
  run.warnings = warnings_of(run, info, first);
  for (const RunInfo::Data& data : first.info.data) {
    run.datasets.push_back({data.name, data.digest, data.source, data.samples});
  }
  run.samples = sample_data(first.experiment, catalog, first.folder);
  for (const SeedFolder& seed : seeds) {
    run.seeds.push_back(read_seed(seed));
  }
  source.runs.push_back(std::move(run));
  add_arms(source, reference, seeds);
}

// Runs of one name are told apart by their folders.
void name_apart(std::vector<PageRun>& runs) {
  std::map<std::string, int> count;
  for (const PageRun& run : runs) {
    ++count[run.name];
  }
  for (PageRun& run : runs) {
    if (count[run.name] > 1) {
      run.name = run.folder;
    }
  }
}

// Of all arms on the page; what a run under way will bring along is not told yet.
void warn_of_knowledge(PageSource& source) {
  std::vector<std::pair<std::string, std::string>> told;
  for (const PageArm& arm : source.arms) {
    const PageRun& run = source.run_of(arm);
    for (const RunInfo::Outcome& outcome : read_run_info(fs::path(run.folder) / "run.json").arms) {
      if (outcome.arm == arm.name && !outcome.prior_knowledge.empty()) {
        told.emplace_back(
            source.runs.size() > 1 ? fmt::format("{} {}", run.name, arm.name) : arm.name,
            outcome.prior_knowledge);
      }
    }
  }
  if (const auto sentence = knowledge_difference(told)) {
    source.runs.back().warnings.push_back(*sentence);
  }
}

}  // namespace

std::vector<RunReference> parse_run_references(std::span<const std::string> texts) {
  std::vector<RunReference> all;
  for (const std::string& text : texts) {
    const auto colon = text.rfind(':');
    std::error_code ignored;
    const bool has_arm = colon != text.npos && !fs::is_directory(text, ignored);
    fs::path folder = fs::path(text.substr(0, has_arm ? colon : text.npos)).lexically_normal();
    if (!folder.has_filename() && folder.has_relative_path()) {
      folder = folder.parent_path();  // "runs/quickstart/"
    }
    const auto same = std::find_if(
        all.begin(), all.end(), [&](const RunReference& other) { return other.folder == folder; });
    if (same == all.end()) {
      all.push_back({folder, {}});
      if (has_arm) {
        all.back().arms.push_back(text.substr(colon + 1));
      }
    } else if (!has_arm) {
      same->arms.clear();
    } else if (!same->arms.empty()) {
      same->arms.push_back(text.substr(colon + 1));
    }
  }
  return all;
}

PageSource read_page_source(std::span<const RunReference> runs, const Catalog& catalog) {
  const BuildInfo build = build_info();
  PageSource source;
  source.version = build.version;
  source.revision = build.revision;
  for (const RunReference& run : runs) {
    add_run(source, run, catalog);
  }
  name_apart(source.runs);
  warn_of_knowledge(source);
  std::vector<std::string> names;
  for (const PageRun& run : source.runs) {
    names.push_back(run.name);
  }
  source.title = fmt::format("{}", fmt::join(names, ", "));
  return source;
}

fs::path write_run_report(const fs::path& folder, const Catalog& catalog, Progress& progress) {
  const std::vector<std::string> text{folder.string()};
  const PageSource source = read_page_source(parse_run_references(text), catalog);
  const fs::path file = folder / "report.html";
  write_file(file, page_html(page_data(source, progress)));
  return file;
}

}  // namespace tyto
