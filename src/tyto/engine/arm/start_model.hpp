// SPDX-License-Identifier: Apache-2.0
// A run whose arms begin with a model that was trained elsewhere, at the start or at a later
// increment.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tyto/engine/run/experiment.hpp"
#include "tyto/predictor/predictor.hpp"

namespace tyto {

struct StartModel {
  std::unique_ptr<Predictor> predictor;
  std::string prior_knowledge;        // the model itself, and what went into it
  std::vector<std::string> cautions;  // in what its classes and those shown before differ
  Index skipped = 0;                  // steps of the world that are not gone through
};

// Throws Error(config) for an increment that the world does not have, or a model that is not the
// arm's predictor.
StartModel open_start_model(const Experiment& experiment, const Arm& arm, const WorldSource& world);

}  // namespace tyto
