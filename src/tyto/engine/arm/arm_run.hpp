// SPDX-License-Identifier: Apache-2.0
// One arm of a run: world, predictor, protocol and record, advanced step by step; what outlives a
// step is in the checkpoint.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tyto/engine/arm/arm_notes.hpp"
#include "tyto/engine/arm/checkpoint.hpp"
#include "tyto/engine/arm/commit_pace.hpp"
#include "tyto/engine/arm/journal.hpp"
#include "tyto/engine/arm/limited_predictor.hpp"
#include "tyto/engine/arm/properties.hpp"
#include "tyto/engine/arm/start_model.hpp"
#include "tyto/engine/arm/times.hpp"
#include "tyto/engine/run/experiment.hpp"
#include "tyto/engine/run/prepared_run.hpp"
#include "tyto/protocol/protocol.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {

// Of the resolved options of an experiment.
std::unique_ptr<Protocol> make_protocol(const ConfigNode& options);

class ArmRun {
 public:
  // Borrows the run and the arm.
  ArmRun(const PreparedRun& run, const Arm& arm);

  // From the last commit that can be read, and cuts the record to it; false: there is none.
  // `warn` is told of a damaged one.
  bool resume(const Shelf& shelf, const Checkpoint::Warn& warn);

  // Past the steps that a model from elsewhere starts behind.
  void skip_steps();

  // From a state that another run kept after a step; the record begins with the next one.
  void start_from(const std::filesystem::path& state, const Shelf& shelf);

  // Steps and commits until the end.
  void finish(const Shelf& shelf, Times& times, Progress& progress);

  [[nodiscard]] ArmNotes notes() const;  // its times and warnings are not known here

 private:
  void commit();
  void load(const State& state, const Shelf& shelf);

  const PreparedRun& run_;
  const Arm& arm_;
  const RunFolder& folder_;
  Checkpoint checkpoint_;
  std::uint64_t stream_;  // seed of this predictor's randomness; the same at every budget
  std::unique_ptr<World> world_;
  std::vector<std::string> columns_;  // names of the features, for uses on other data
  std::optional<StartModel> model_;   // its predictor is the one below
  std::unique_ptr<Predictor> predictor_;
  LimitedPredictor limited_{*predictor_, run_.experiment.limits};
  TimedPredictor timed_{limited_};
  std::unique_ptr<Protocol> protocol_;
  PhaseRecorder recorder_;
  Properties properties_;
  Journal journal_;
  LimitBreaches breaches_;
  std::vector<std::string> phases_;  // written so far
  Index commits_ = 0;
  CommitPace pace_;
  double recorded_ = 0;  // samples since the last look
  bool done_ = false;
};

// The second stage of a run: one arm from its last commit, or from where the experiment starts, to
// its end. Its facts are in the folder then. Holds the arm for this process.
void run_arm(const PreparedRun& run, const Arm& arm, Progress& progress);

}  // namespace tyto
