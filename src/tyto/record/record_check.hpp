// SPDX-License-Identifier: Apache-2.0
// Whether a stored record fits together: every phase that was committed, none besides, each of the
// arm, increment and samples that its place says. What a run wrote is whole; what came to its
// folder later, or left it, is found here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tyto/record/run_folder.hpp"

namespace tyto {

// manifest.csv: which samples an increment shows in which split, by name.
struct Manifest {
  std::map<std::pair<Index, std::string>, std::vector<std::string>> shown;

  static Manifest load(const std::filesystem::path& file);
};

// What there is to check a record by; what is missing is not checked.
struct RecordFacts {
  std::optional<std::vector<std::string>> committed;  // phases that must be there
  bool complete = false;                              // and no other may
  const Manifest* manifest = nullptr;
  bool whole_splits = false;  // each phase holds its split as the world showed it, no part of it
};

// A sentence for each thing that is missing, foreign or double; none: it fits. Without the truth,
// which names the samples, these are not checked. The phases that
// `facts.committed` does not name are left alone where the run goes on (not `complete`).
std::vector<std::string> record_problems(const RunFolder& folder, std::string_view arm,
                                         const Truth* truth, const RecordFacts& facts);

}  // namespace tyto
