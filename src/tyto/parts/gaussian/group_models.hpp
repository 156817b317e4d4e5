// SPDX-License-Identifier: Apache-2.0
// Groups of unknown samples as densities, so that their scores compare with those of classes.
#pragma once

#include <memory>
#include <optional>

#include "tyto/parts/gaussian/class_densities.hpp"
#include "tyto/parts/recogniser/discovery.hpp"

namespace tyto {

// Log density of each group; none: the lowest that a row of the pool has under its own group.
std::unique_ptr<GroupModel> gaussian_group_model(CovarianceOptions covariance);
std::unique_ptr<GroupModel> mixture_group_model(CovarianceOptions covariance,
                                                ClassClusters clusters);

}  // namespace tyto
