// SPDX-License-Identifier: Apache-2.0
// A network that does nothing: its features are the pixels of the pictures it is given, 0 to 255,
// planes of red, green and blue. So pictures become a dataset that networks are taught with.
#pragma once

#include <memory>

#include "tyto/core/config.hpp"
#include "tyto/nn/backbone.hpp"

namespace tyto {

// `recipe`: what differs from shrinking the shorter side to `size` and cutting out the middle.
std::unique_ptr<Backbone> pixel_backbone(Index size, const ConfigNode& recipe);

}  // namespace tyto
