// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/arm_run.hpp"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "tyto/core/archive.hpp"
#include "tyto/core/error.hpp"
#include "tyto/core/files.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {

std::unique_ptr<Protocol> make_protocol(const ConfigNode& node) {
  ConfigNode options = node;
  options.remove("kind");
  return find_protocol(node.find("kind")->text).make(options, "protocol");
}

ArmRun::ArmRun(const Arm& arm, const Experiment& experiment, std::unique_ptr<World> world,
               const Truth& truth, const RunFolder& folder)
    : arm_(arm),
      folder_(folder),
      checkpoint_(folder.checkpoint(arm.name)),
      keeps_states_(experiment.record.states),
      stream_(arm.predictor.stream_seed(experiment.seed)),
      world_(std::move(world)),
      predictor_(arm.predictor, stream_),
      protocol_(make_protocol(experiment.protocol)),
      recorder_(experiment.record, &truth, [this](const Phase& phase) {
        folder_.write_phase(arm_.name, phase);
        phases_.push_back(phase.key.name());
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
  predictor_.load(state.child("predictor"), shelf);
  if (!done_) {
    world_->load(state.child("world"), shelf);
    protocol_->load(state.child("protocol"), shelf);
  }
}

std::string ArmRun::calibration() const {
  std::string lines;
  const Calibrator* calibrator = predictor_.parts().calibrator;
  if (calibrator == nullptr) {
    return lines;
  }
  for (const auto& [name, values] : calibrator->fitted()) {
    const bool by_epoch = name.starts_with("epoch_");
    for (Index i = 0; i < values.size(); ++i) {
      const double value = values.data()[i];
      lines += fmt::format("{},{},{},{}\n", arm_.name, name,
                           by_epoch ? fmt::to_string(i + 1) : std::string(),
                           std::isfinite(value) ? fmt::to_string(value) : std::string());
    }
  }
  return lines;
}

void ArmRun::commit() {
  State state;
  ++commits_;
  state.set("commits", std::int64_t{commits_});
  state.set("done", std::int64_t{done_});
  state.set("phases", phases_);
  State& predictor = state.make_child("predictor");
  predictor_.save(predictor);
  if (!done_) {
    properties_.add(world_->deal().step, predictor_, predictor);
    journal_.add(world_->deal().step, predictor_);
    world_->save(state.make_child("world"));
    protocol_->save(state.make_child("protocol"));
  }
  properties_.save(state.make_child("properties"));
  journal_.save(state.make_child("journal"));
  if (keeps_states_ && !done_ && protocol_->is_between_increments()) {
    const auto file = folder_.state(arm_.name, world_->deal().step);
    make_folder(file.parent_path());
    stamp(state);
    write_archive(file, state);
  }
  checkpoint_.write(std::move(state));
}

void ArmRun::finish(Times& times, Progress& progress) {
  using Clock = std::chrono::steady_clock;
  while (!done_) {
    const auto start = Clock::now();
    Work work{Rng(stream_, "step", static_cast<std::uint64_t>(commits_)), progress};
    Exchange exchange{*world_, timed_, recorder_};
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

}  // namespace tyto
