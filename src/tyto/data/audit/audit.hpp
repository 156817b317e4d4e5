// SPDX-License-Identifier: Apache-2.0
// What may spoil an evaluation, looked for before it is run: what `tyto data audit` tells.
#pragma once

#include <filesystem>

#include "tyto/data/audit/near_rows.hpp"
#include "tyto/data/audit/summary.hpp"
#include "tyto/data/dataset_file.hpp"

namespace tyto {

struct AuditOptions {
  NearOptions near;
  Index limit = 5;  // examples of each finding
};

struct Audit {
  DatasetSummary summary;
  std::vector<Finding> findings;  // those of the summary with examples, and the audit's own
  NearRows near;
  std::string verdict;  // one line

  [[nodiscard]] Index problems() const;
};

// `breaches` are what load_dataset noted while it read the dataset.
Audit audit_dataset(const Dataset& dataset, std::span<const Breach> breaches,
                    const AuditOptions& options, Progress& progress);

// Where the data cannot be read at all, the one finding says why; Error(config) and Error(io) are
// thrown as always.
Audit audit_file(const std::filesystem::path& path, const AuditOptions& options,
                 Progress& progress);

}  // namespace tyto
