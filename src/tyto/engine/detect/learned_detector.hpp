// SPDX-License-Identifier: Apache-2.0
// A detector by name, and what it learns from rows that are normal, or mostly so.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tyto/engine/detect/training_rows.hpp"
#include "tyto/predictor/composition/composition.hpp"

namespace tyto {

inline constexpr std::string_view kDetectPreset = "tyto-detect";
inline constexpr std::string_view kMixedPreset = "tyto-detect-mixed";  // for rows not all normal

// A preset, a .yaml with a predictor, or a detector alone, which then sees standardised columns and
// remembers all rows. Throws Error(config) with the names there are.
PredictorConfig detector_config(const std::string& name);

// A detector alone knows no class to decide for: with the nearest of the class means it does.
void add_classifier(PredictorConfig& config);

struct LearnedDetector {
  std::unique_ptr<Composition> predictor;
  std::vector<Index> set_aside;  // rows taken for unusual, and not learned from; ascending
};

// Up to 4000 rows all are fitted on, and folds of them set the threshold; of more, a part is held
// out for it, greater where `config.accepted_error` is small. With a share `unusual`, that many
// rows that are unusual to a detector that did not see them are set aside first. `seed` decides all
// that is drawn.
LearnedDetector learn_detector(const PredictorConfig& config, const TrainingRows& training,
                               std::optional<double> unusual, std::uint64_t seed,
                               Progress& progress);

}  // namespace tyto
