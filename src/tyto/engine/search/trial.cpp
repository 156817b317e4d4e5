// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/search/trial.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/core/named.hpp"
#include "tyto/engine/arm/arm_run.hpp"
#include "tyto/engine/search/judge.hpp"
#include "tyto/predictor/make_predictor.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/record/memory_record.hpp"

namespace tyto {

namespace {

// One predictor over the rehearsal, and what the search judges it by.
std::optional<double> run_trial(const PredictorConfig& config, const Experiment& experiment,
                                const WorldSource& rehearsal, std::uint64_t seed,
                                Progress& progress) {
  const SearchOptions& search = experiment.search;
  MemoryRecord record(*rehearsal.truth());
  PhaseRecorder recorder(experiment.record, record.truth(),
                         [&](const Phase& phase) { record.add(phase); });
  const auto world = rehearsal.make_world({search.feedback, std::nullopt});
  const auto predictor = make_predictor(config, config.stream_seed(seed));
  const auto protocol = make_protocol(experiment.protocol);
  const StoreShelf shelf(rehearsal.stores());
  Exchange exchange{*world, *predictor, recorder, shelf, Rng(config.stream_seed(seed))};
  for (std::uint64_t step = 0;; ++step) {
    Work work{Rng(config.stream_seed(seed), "step", step), progress};
    if (!protocol->step(exchange, work)) {
      break;
    }
  }
  return judged(record, search);
}

const Rehearsable& rehearsable(const WorldSource& world, const Experiment& experiment) {
  if (const Rehearsable* start = world.rehearsable()) {
    return *start;
  }
  throw Error(ErrorKind::config,
              fmt::format("search: the world {} has no start on which options could be tried out",
                          experiment.world.find("kind")->text));
}

}  // namespace

void check_search(const Experiment& experiment) {
  const SearchOptions& search = experiment.search;
  if (!search.is_wanted()) {
    return;
  }
  const std::string& protocol = experiment.protocol.find("kind")->text;
  check_judge(search, find_protocol(protocol).order.phases, protocol);
  std::vector<std::string> names;
  for (const PredictorConfig& config : experiment.predictors) {
    names.push_back(config.name);
    variants(config, search, experiment.seed);
  }
  for (const auto& [name, node] : search.options.pairs) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw Error(
          ErrorKind::config,
          fmt::format("{}: search.options.{}: no predictor of this experiment has that "
                      "name; there are: {}{}",
                      node.place(), name, fmt::join(names, ", "), did_you_mean(name, names)));
    }
  }
}

std::vector<PredictorConfig> searched(const Experiment& experiment, const WorldSource& world,
                                      const std::filesystem::path& file, Progress& progress) {
  const SearchOptions& search = experiment.search;
  const std::uint64_t seed = mix(experiment.seed, "rehearsal");
  const auto rehearsal = rehearsable(world, experiment).rehearsal(search.rehearsal, seed);
  std::vector<Trial> former;
  if (std::filesystem::exists(file)) {
    former = trials_from_csv(read_file(file), file.string());
  }
  std::vector<Trial> all;
  std::vector<PredictorConfig> chosen;
  for (const PredictorConfig& given : experiment.predictors) {
    const std::vector<Variant> tried = variants(given, search, experiment.seed);
    std::vector<Trial> trials;
    progress.begin(fmt::format("{}: search {}", experiment.name, given.name),
                   static_cast<double>(tried.size()));
    for (const Variant& variant : tried) {
      const auto known = std::find_if(former.begin(), former.end(), [&](const Trial& trial) {
        return trial.predictor == given.name && trial.settings == variant.settings;
      });
      Trial trial{given.name, variant.settings, {}, false};
      trial.value = known != former.end()
                        ? known->value
                        : run_trial(variant.config, experiment, *rehearsal, seed, progress);
      trials.push_back(trial);
      all.push_back(trial);
      if (known == former.end()) {
        write_file(file, to_csv(all));
      }
      progress.advance(1);
    }
    progress.end();
    const std::size_t best = best_trial(trials, search);
    all[all.size() - trials.size() + best].chosen = true;
    chosen.push_back(tried[best].config);
  }
  write_file(file, to_csv(all));
  return chosen;
}

}  // namespace tyto
