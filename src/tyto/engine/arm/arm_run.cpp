// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/arm/arm_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/error.hpp"
#include "tyto/core/files/archive.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/arm/memory_notes.hpp"
#include "tyto/engine/arm/start_states.hpp"
#include "tyto/engine/compare/config_difference.hpp"
#include "tyto/predictor/make_predictor.hpp"
#include "tyto/predictor/notes.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What the calibrator's last fit came to.
std::string calibration_lines(const std::string& arm, const Notes& notes) {
  std::string lines;
  for (const auto& [name, values] : notes.calibration) {
    const bool by_epoch = name.starts_with("epoch_");
    for (Index i = 0; i < values.size(); ++i) {
      const double value = values.data()[i];
      lines +=
          fmt::format("{},{},{},{}\n", arm, name, by_epoch ? fmt::to_string(i + 1) : std::string(),
                      std::isfinite(value) ? fmt::to_string(value) : std::string());
    }
  }
  return lines;
}

// Where the data tell them.
std::vector<std::string> feature_names(const WorldSource& world, const std::string& source) {
  for (const auto& store : world.stores()) {
    const std::vector<std::string> sources = store->sources();
    if (std::find(sources.begin(), sources.end(), source) != sources.end()) {
      return store->column_names(source);
    }
  }
  return {};
}

std::optional<StartModel> start_model(const PreparedRun& run, const Arm& arm) {
  if (run.experiment.from.model.empty()) {
    return std::nullopt;
  }
  return open_start_model(run.experiment, arm, *run.world);
}

// Options of the protocol other than those a predictor was published with.
std::vector<std::string> unexpected_options(const PredictorConfig& predictor,
                                            const ConfigNode& protocol) {
  std::vector<std::string> out;
  for (const ConfigPair& pair : predictor.expects.pairs) {
    const ConfigNode* has = protocol.find(pair.key);
    const std::string wanted = one_line(pair.value);
    if (has == nullptr) {
      out.push_back(
          fmt::format("it was published with {}: {}, an option that the protocol {} does "
                      "not have",
                      pair.key, wanted, protocol.find("kind")->text));
    } else if (one_line(*has) != wanted) {
      out.push_back(fmt::format("it was published with {}: {}, and the protocol here has {}",
                                pair.key, wanted, one_line(*has)));
    }
  }
  return out;
}

}  // namespace

std::unique_ptr<Protocol> make_protocol(const ConfigNode& node) {
  ConfigNode options = node;
  options.remove("kind");
  return find_protocol(node.find("kind")->text).make(options, "protocol");
}

ArmRun::ArmRun(const PreparedRun& run, const Arm& arm)
    : run_(run),
      arm_(arm),
      folder_(run.folder),
      checkpoint_(run.folder.checkpoint(arm.name)),
      stream_(arm.predictor.stream_seed(run.experiment.seed)),
      world_(run.world->make_world(arm.budget)),
      columns_(feature_names(*run.world, arm.predictor.features)),
      model_(start_model(run, arm)),
      predictor_(model_ ? std::move(model_->predictor) : make_predictor(arm.predictor, stream_)),
      protocol_(make_protocol(run.experiment.protocol)),
      recorder_(run.experiment.record, run.world->truth(), [this](const Phase& phase) {
        folder_.write_phase(arm_.name, phase);
        const std::string name = phase.key.name();
        if (std::find(phases_.begin(), phases_.end(), name) == phases_.end()) {
          phases_.push_back(name);  // else a test was begun again
        }
        recorded_ += static_cast<double>(phase.size());
      }) {}

bool ArmRun::resume(const Shelf& shelf, const Checkpoint::Warn& warn) {
  const auto state = checkpoint_.read(warn);
  if (!state) {
    folder_.cut_record(arm_.name, {});
    return false;
  }
  done_ = state->get<std::int64_t>("done") != 0;
  phases_ = state->get<std::vector<std::string>>("phases");
  folder_.cut_record(arm_.name, phases_);
  load(*state, shelf);
  return true;
}

void ArmRun::skip_steps() {
  if (model_) {
    for (Index step = 0; step < model_->skipped; ++step) {
      (void)world_->advance();
    }
  }
}

void ArmRun::start_from(const std::filesystem::path& file, const Shelf& shelf) {
  const State state = read_archive(file);
  expect_stamp(state, file);
  try {
    load(state, shelf);
  } catch (const Error& problem) {
    throw Error(problem.kind(), fmt::format("{}: {}", file.string(), problem.what()));
  }
}

void ArmRun::load(const State& state, const Shelf& shelf) {
  commits_ = static_cast<Index>(state.get<std::int64_t>("commits"));
  properties_.load(state.child("properties"));
  journal_.load(state.child("journal"));
  breaches_.load(state);
  predictor_->load(state.child("predictor"), shelf);
  if (!done_) {
    world_->load(state.child("world"), shelf);
    protocol_->load(state.child("protocol"), shelf);
  }
}

ArmNotes ArmRun::notes() const {
  Notes told;
  predictor_->tell(told);
  ArmNotes notes;
  notes.alarms = journal_.alarms(arm_.name);
  notes.discoveries = journal_.discoveries(arm_.name, predictor_->labels());
  notes.calibration = calibration_lines(arm_.name, told);
  notes.memory = journal_.memory(arm_.name);
  notes.limits = breaches_.lines(arm_.name);
  notes.properties = properties_.to_json(
      arm_.predictor, joined_knowledge({run_.experiment.prior_knowledge.of(arm_.predictor),
                                        model_ ? model_->prior_knowledge : ""}));
  notes.cautions = told.cautions;
  if (model_) {
    notes.cautions.insert(notes.cautions.end(), model_->cautions.begin(), model_->cautions.end());
  }
  const auto others = unexpected_options(arm_.predictor, run_.experiment.protocol);
  notes.cautions.insert(notes.cautions.end(), others.begin(), others.end());
  if (const auto remark = memory_remark(told)) {
    notes.remarks.push_back(*remark);
  }
  for (std::string& sentence : breaches_.sentences(run_.experiment.limits)) {
    notes.remarks.push_back(std::move(sentence));
  }
  return notes;
}

void ArmRun::commit() {
  State state;
  ++commits_;
  state.set("commits", std::int64_t{commits_});
  state.set("done", std::int64_t{done_});
  state.set("phases", phases_);
  state.set("columns", columns_);
  State& predictor = state.make_child("predictor");
  predictor_->save(predictor);
  if (!done_) {
    Notes notes;
    predictor_->tell(notes);
    properties_.add(world_->deal().step, notes, predictor_->labels(), predictor,
                    {timed_.so_far().learned, timed_.so_far().predicted});
    journal_.add(world_->deal().step, notes, predictor_->labels());
    world_->save(state.make_child("world"));
    protocol_->save(state.make_child("protocol"));
  }
  properties_.save(state.make_child("properties"));
  journal_.save(state.make_child("journal"));
  breaches_.save(state);
  if (run_.experiment.record.states && !done_ && protocol_->may_be_left()) {
    const auto file = folder_.state(arm_.name, world_->deal().step);
    make_folder(file.parent_path());
    stamp(state);
    write_archive(file, state);
  }
  if (const double begin = seconds_now(); done_ || pace_.is_due(begin)) {
    checkpoint_.write(std::move(state));
    pace_.wrote(begin, seconds_now());
  }
}

void ArmRun::finish(const Shelf& shelf, Times& times, Progress& progress) {
  using Clock = std::chrono::steady_clock;
  limited_.begin(shelf, *world_, breaches_);
  while (!done_) {
    const auto start = Clock::now();
    Work work{Rng(stream_, "step", static_cast<std::uint64_t>(commits_)), progress};
    Exchange exchange{*world_, timed_, recorder_, shelf, Rng(stream_)};
    progress.note(arm_.name);
    done_ = !protocol_->step(exchange, work);
    commit();
    times.add(arm_.name, commits_, done_ ? -1 : world_->deal().step,
              std::chrono::duration<double>(Clock::now() - start).count(), timed_.take());
    times.write();
    progress.advance(recorded_);
    recorded_ = 0;
  }
}

void run_arm(const PreparedRun& run, const Arm& arm, Progress& progress) {
  make_folder(run.folder.notes(arm.name));
  const FolderLock lock(run.folder.notes(arm.name));
  const StoreShelf shelf(run.world->stores());
  std::vector<std::string> warnings;
  ArmRun one(run, arm);
  if (!one.resume(shelf, [&](std::string_view what) { warnings.emplace_back(what); })) {
    if (const auto start = start_state(run.experiment, arm)) {
      one.start_from(*start, shelf);
    } else {
      one.skip_steps();
    }
  }
  Times times(arm_times_file(run.folder, arm.name));
  one.finish(shelf, times, progress);
  times.write();
  ArmNotes notes = one.notes();
  notes.warnings = std::move(warnings);
  write_arm_notes(run.folder, arm.name, notes);
}

}  // namespace tyto
