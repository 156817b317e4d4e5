// SPDX-License-Identifier: Apache-2.0
// Where a picture is unusual to a detector that looks at its patches.
#pragma once

#include <optional>
#include <string_view>

#include "tyto/engine/run/experiment.hpp"
#include "tyto/predictor/composition/composition.hpp"
#include "tyto/report/page/sample_data.hpp"

namespace tyto {

// Whether the detector of the arm does, told without loading what it has learned.
bool looks_at_patches(const Experiment& experiment, std::string_view arm);

// Of one sample of one frame; none where the predictor's detector looks at no patches.
std::optional<PictureHeat> patch_heat(const Composition& predictor, const Samples& one);

}  // namespace tyto
