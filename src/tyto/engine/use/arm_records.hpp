// SPDX-License-Identifier: Apache-2.0
// The records of a run's arms as they were committed, opened to be measured. What was lost from its
// folder or strayed into it would change every number without a word, so it is looked for first.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tyto/engine/run/run_info.hpp"
#include "tyto/record/record_check.hpp"
#include "tyto/record/run_folder.hpp"

namespace tyto {

class ArmRecords {
 public:
  // Of one run, not of a folder with several seeds.
  ArmRecords(RunFolder folder, const RunInfo& info);

  // Null where nothing of the arm is committed yet. What does not fit is kept until expect_whole.
  [[nodiscard]] std::shared_ptr<const RunRecord> open(const std::string& arm);

  // Throws Error(state) with a sentence for each thing of the opened arms that is missing, foreign
  // or double.
  void expect_whole() const;

 private:
  RunFolder folder_;
  bool done_, whole_splits_;
  PhaseOrder order_;
  std::shared_ptr<const Truth> truth_;
  std::optional<Manifest> manifest_;
  std::vector<std::string> problems_;
};

}  // namespace tyto
