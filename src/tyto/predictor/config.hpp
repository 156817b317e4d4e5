// SPDX-License-Identifier: Apache-2.0
// Which parts a predictor is put together from, as said in YAML: a preset, or slots by name.
//
//   name: my_ann
//   preset: ann                        # optional: start from this, then override
//   classifier: {name: mlp, epochs: 5}
//   detector: softmax                  # a name alone takes the part's defaults
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tyto/calibration/conformal_sets.hpp"
#include "tyto/core/config.hpp"
#include "tyto/parts/registry.hpp"
#include "tyto/predictor/fusion.hpp"

namespace tyto {

// What a detector or a recogniser takes for the features of a sample: these, or what the classifier
// makes of them.
enum class Space : std::uint8_t { features, embedding, logits };

std::string_view space_name(Space space);  // as spelled here

struct PartChoice {
  std::string name;
  ConfigNode options;      // without name, also and space
  std::vector<Slot> also;  // further slots filled by the same object
  Space space = Space::features;
};

// What a held-out sample counts for the threshold: as any other; so that classes count alike; so
// that they count as often as they came lately.
enum class ThresholdBy : std::uint8_t { samples, classes, recent };

struct PredictorConfig {
  std::string name, summary;
  std::map<Slot, PartChoice> parts;  // a slot may stay empty
  double holdout = 0.1;              // share of granted samples that is never fitted on
  bool holdout_groups = true;        // whole groups, where there are enough
  bool holdout_once = false;         // of the first lesson only
  double accepted_error = 0.05;      // share of known samples that may be called novel
  double suspected = 0;              // share of them that the recogniser may look at; 0: the same
  bool group_evidence = false;       // who lies in a discovered group needs less novelty
  Index folds = 0;                   // parts left out in turn to set the threshold; 0: none
  bool threshold_frozen = false;     // set once, after the first lesson
  bool threshold_plain = false;      // the quantile itself, which promises nothing
  ThresholdBy threshold_by = ThresholdBy::samples;
  double heed = 0.5;  // how far a told false alarm rate moves the threshold
  Fusion fusion = Fusion::soft;
  std::optional<SetOptions> sets;     // of classes, with a promised coverage, beside each answer
  std::string stream;                 // of random numbers; "": the name
  std::string features = "features";  // source of the data that is read as features
  std::string prior_knowledge;        // of its own, learned outside the data; "": none
  ConfigNode expects;                 // options of the protocol it was published with; null: any

  // Seed of its randomness: predictors of one stream differ by nothing but their parts.
  [[nodiscard]] std::uint64_t stream_seed(std::uint64_t seed) const;

  [[nodiscard]] const PartChoice* find(Slot slot) const;  // null: empty
};

// Reads and checks everything, options of parts included; loads no module. A node that is one word
// names a preset.
PredictorConfig read_predictor(const ConfigNode& node, std::string_view path);

// Everything spelled out, defaults included; reads back to the same predictor.
ConfigNode write_predictor(const PredictorConfig& config);

std::vector<OptionHelp> predictor_options();

// Words of the option `form` of its parts, by slot: "classifier" is of form "released". Parts that
// come in one form are left out.
std::vector<std::pair<std::string, std::string>> forms_of(const PredictorConfig& config);

// Sources of the data that it reads: its features, and what parts of it look at besides.
std::vector<std::string> sources_read(const PredictorConfig& config);

}  // namespace tyto

// Example:
//
//   const PredictorConfig careful =
//       read_predictor(parse_yaml("{preset: tyto, accepted_error: 0.01}", "here"), "predictor");
