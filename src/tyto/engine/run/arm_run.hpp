// SPDX-License-Identifier: Apache-2.0
// One arm of a run: world, predictor, protocol and record, advanced step by step; what outlives a
// step is in the checkpoint.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tyto/engine/run/checkpoint.hpp"
#include "tyto/engine/run/experiment.hpp"
#include "tyto/engine/run/journal.hpp"
#include "tyto/engine/run/properties.hpp"
#include "tyto/engine/run/times.hpp"
#include "tyto/protocol/protocol.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {

// Of the resolved options of an experiment.
std::unique_ptr<Protocol> make_protocol(const ConfigNode& options);

class ArmRun {
 public:
  // `truth` must outlive the arm.
  ArmRun(const Arm& arm, const Experiment& experiment, std::unique_ptr<World> world,
         const Truth& truth, const RunFolder& folder);

  // From the last commit that can be read, and cuts the record to it; false: there is none.
  // `warn` is told of a damaged one.
  bool resume(const Shelf& shelf, const Checkpoint::Warn& warn);

  // From a state that another run kept after an increment; the record begins with the next one.
  void start_from(const std::filesystem::path& state, const Shelf& shelf);

  // Steps and commits until the end. `advance(samples)` is told how many were predicted.
  void finish(Times& times, Progress& progress);

  [[nodiscard]] const Properties& properties() const { return properties_; }

  [[nodiscard]] std::string alarms() const { return journal_.alarms(arm_.name); }

  static constexpr std::string_view kCalibrationColumns = "arm,parameter,epoch,value\n";

  // Lines of calibration.csv: what the calibrator's last fit came to.
  [[nodiscard]] std::string calibration() const;

  [[nodiscard]] std::string discoveries() const {
    return journal_.discoveries(arm_.name, predictor_.labels());
  }

 private:
  void commit();
  void load(const State& state, const Shelf& shelf);

  const Arm& arm_;
  const RunFolder& folder_;
  Checkpoint checkpoint_;
  bool keeps_states_;
  std::uint64_t stream_;  // seed of this predictor's randomness; the same at every budget
  std::unique_ptr<World> world_;
  Composition predictor_;
  TimedPredictor timed_{predictor_};
  std::unique_ptr<Protocol> protocol_;
  PhaseRecorder recorder_;
  Properties properties_;
  Journal journal_;
  std::vector<std::string> phases_;  // written so far
  Index commits_ = 0;
  double recorded_ = 0;  // samples since the last look
  bool done_ = false;
};

}  // namespace tyto
