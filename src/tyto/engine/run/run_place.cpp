// SPDX-License-Identifier: Apache-2.0
#include "tyto/engine/run/run_place.hpp"

#include <fmt/format.h>

#include "tyto/core/build_info.hpp"
#include "tyto/core/files/files.hpp"
#include "tyto/engine/run/place_error.hpp"
#include "tyto/protocol/registry.hpp"

namespace tyto {

RunInfo info_of(const Experiment& experiment) {
  const BuildInfo build = build_info();
  RunInfo info;
  info.name = experiment.name;
  info.protocol = experiment.protocol.find("kind")->text;
  const ProtocolSpec& protocol = find_protocol(info.protocol);
  info.order = protocol.order;
  info.whole_splits = protocol.whole_splits;
  info.novel_again = experiment.novel_again;
  info.version = build.version;
  info.revision = build.revision;
  info.seed = experiment.seed;
  info.seeds = experiment.seeds;
  info.threads = build.threads;
  info.blas_kernel = build.blas_kernel;
  return info;
}

std::vector<RunInfo::Outcome> outcomes_of(const RunOutcome& outcome) {
  std::vector<RunInfo::Outcome> all;
  for (const ArmOutcome& arm : outcome.arms) {
    RunInfo::Outcome& summary = all.emplace_back();
    summary.arm = arm.arm;
    summary.predictor = arm.predictor;
    summary.feedback = arm.feedback;
    summary.forms = arm.forms;
    summary.prior_knowledge = arm.prior_knowledge;
    for (const HeadlineNumber& number : arm.headline) {
      summary.headline.emplace_back(number.name, number.value);
    }
  }
  return all;
}

void check_place(const RunFolder& folder, const std::string& yaml, const RunInfo& now,
                 const RunOptions& options) {
  const std::string path = folder.path().string();
  if (!options.resume) {
    if (folder.exists() && !options.replace) {
      throw PlaceError(PlaceProblem::taken, fmt::format("{}: holds a run already", path));
    }
    return;
  }
  if (read_file(folder.file("experiment.yaml")) != yaml) {
    throw PlaceError(PlaceProblem::other_experiment,
                     fmt::format("{}: the run there is of another experiment (compare its "
                                 "experiment.yaml)",
                                 path));
  }
  const RunInfo then = read_run_info(folder.file("run.json"));
  if (!options.any_machine &&
      (then.threads != now.threads || then.blas_kernel != now.blas_kernel)) {
    throw PlaceError(
        PlaceProblem::other_machine,
        fmt::format("{}: the run was made with {} threads and BLAS kernel {}, here are {} and {}: "
                    "the bytes would differ",
                    path, then.threads, then.blas_kernel, now.threads, now.blas_kernel));
  }
}

void clear(const RunFolder& folder) {
  const auto remove = [](const std::filesystem::path& path) {
    std::error_code problem;
    std::filesystem::remove_all(path, problem);
    if (problem) {
      throw Error(ErrorKind::io,
                  fmt::format("{}: cannot be removed: {}", path.string(), problem.message()));
    }
  };
  for (const char* name :
       {"run.json",        "experiment.yaml", "predictors.yaml", "manifest.csv",
        "truth.npz",       "record",          "checkpoints",     "arms",
        "states",          "measures.json",   "measures.csv",    "spread.csv",
        "properties.json", "alarms.csv",      "discoveries.csv", "calibration.csv",
        "reliability.csv", "times.csv",       "search.csv",      "report.html",
        "memory.csv",      "feedback.csv",    "limits.csv",      "reliability_by_epoch.csv"}) {
    remove(folder.file(name));
  }
  for (const RunFolder& seed : folder.seeds()) {
    if (seed.exists()) {
      remove(seed.path());
    }
  }
}

}  // namespace tyto
