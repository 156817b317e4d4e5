// SPDX-License-Identifier: Apache-2.0
// A predictor ready to use: that of a run, as far as it has learned there, or one saved in a file
// of its own, which holds everything it needs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tyto/data/catalog.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {

struct ReadyPredictor {
  std::unique_ptr<Composition> predictor;
  std::vector<std::string> columns;  // names of the features it learned from; may be empty
  // Columns of the table it learned from that are no features, and the one that named the samples;
  // a table to be predicted may have them too.
  std::vector<std::string> others = {};
  std::string id_column = {};
  std::map<std::uint32_t, std::string> names;  // of remembered samples, by id
  std::uint32_t next_id = 0x80000000U;         // for samples that come from elsewhere
  std::string note;                            // what was chosen where there was a choice; or ""
  std::string prior_knowledge;  // what went into it besides the data it learned; "": not told

  [[nodiscard]] std::string name_of(SampleId id) const;  // "sample 7" where it has none
};

struct ModelChoice {
  std::string arm;                 // of a run; "": the one a user would want
  std::optional<Index> increment;  // the state kept after it; none: the last commit
};

// `what` is a run folder, RUN:ARM, or a saved file. The data of a run are looked for in the catalog
// if its memory refers to them.
ReadyPredictor load_model(const std::string& what, const ModelChoice& choice,
                          const Catalog& catalog);

// The same of a saved file for a world it has not learned in: the samples it remembers get numbers
// that no world deals.
ReadyPredictor load_model_elsewhere(const std::filesystem::path& file);

// Whole or not at all; needs no data to be loaded again.
void save_model(const std::filesystem::path& file, const ReadyPredictor& model);

}  // namespace tyto

// Example:
//
//   const ReadyPredictor model = load_model("trees.npz", {}, Catalog::standard());
//   const LabelSpace& classes = model.predictor->labels();
