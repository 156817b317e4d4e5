// SPDX-License-Identifier: Apache-2.0
// run.json: what a run is, on which machine its bytes come about, and what came out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tyto/core/matrix.hpp"
#include "tyto/measure/headline.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {

struct RunInfo {
  struct Outcome {
    std::string arm, predictor, feedback;
    // Words of the option `form` by slot, and what was learned outside the data; none in runs of
    // before.
    std::vector<std::pair<std::string, std::string>> forms = {};
    std::string prior_knowledge = "";
    std::vector<std::pair<std::string, std::optional<double>>> headline = {};  // name, value

    // Missing too where the run was made before there was such a number.
    [[nodiscard]] std::optional<double> number(std::string_view called) const;
  };

  struct Data {
    std::string name, digest, source;
    Index samples = 0;
  };

  std::string name, version, revision;
  std::string protocol;
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> seeds;  // several: the folder holds a run of each
  int threads = 1;
  std::string blas_kernel;
  bool done = false;
  // How its record is read. A run from before this was written down is of owl or calibrate.
  PhaseOrder order = {{"pre", "post"}, {"train", "validate", "test"}};
  bool whole_splits = false;
  Index novel_again = 0;   // of the experiment; 0: never
  std::vector<Data> data;  // of a folder of several seeds: each says its own
  std::vector<Outcome> arms;
};

std::string seed_text(const RunInfo& info);  // "1", "1 2 3"

void write_run_info(const std::filesystem::path& file, const RunInfo& info);

// Throws Error(state) for a file that is not a run's or of another version.
RunInfo read_run_info(const std::filesystem::path& file);

// What the folder of a run says of it. Throws Error(config) where there is no such folder, and
// Error(state) where it holds no run.
RunInfo open_run(const RunFolder& folder);

// The same of a run that is to be measured: throws Error(state) if it is not finished.
RunInfo open_finished_run(const RunFolder& folder);

// Folders below `root` that hold a run, sorted.
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& root);

}  // namespace tyto
