// SPDX-License-Identifier: Apache-2.0
// The first stage of a run: whatever can be checked is checked, the world is built, options are
// searched, and the folder says all that an arm needs. From then on an arm depends on the folder
// and the data alone, so that arms may run one after another or in processes of their own.
#pragma once

#include <memory>
#include <vector>

#include "tyto/core/files/files.hpp"
#include "tyto/engine/run/run.hpp"
#include "tyto/protocol/registry.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {

struct PreparedRun {
  RunFolder folder;
  Experiment experiment;  // with the predictors as they run, options of a search included
  std::vector<Arm> arms;
  std::unique_ptr<WorldSource> world;
  WorldFacts facts;
  std::unique_ptr<FolderLock> lock;  // of who prepared it

  [[nodiscard]] const ProtocolSpec& protocol() const;
  [[nodiscard]] const Arm& arm(std::string_view name) const;
  [[nodiscard]] double samples_predicted() const;  // by one arm, as far as it can be told
};

// Of one seed. The folder is not touched before everything is checked.
PreparedRun prepare_run(const Experiment& experiment, const Catalog& catalog,
                        const RunOptions& options, Progress& progress);

// What prepare_run left in a folder; the world is built again.
PreparedRun open_prepared(const std::filesystem::path& folder, const Catalog& catalog);

// The experiment of a run with its predictors as they ran, which predictors.yaml tells; as given
// while their options are still searched.
Experiment read_ran_experiment(const RunFolder& folder);

}  // namespace tyto
